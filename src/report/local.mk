libioltp_a_SOURCES += \
	src/report/facts_device.c src/report/facts_host.c \
	src/report/judge.c \
	src/report/rep_csv.c \
	src/report/rep_json.c \
	src/report/rep_text.c \
	src/report/result.c src/report/result.h
