libioltp_a_SOURCES += \
	src/report/cmp_csv.c src/report/cmp_json.c src/report/cmp_text.c src/report/cmp_report.h \
	src/report/cmp_doc.c src/report/cmp_doc.h \
	src/report/cmp_facts.c src/report/cmp_twin.c src/report/cmp_twin.h \
	src/report/cmp_like.c src/report/cmp_unlike.c \
	src/report/cmp_stat.c src/report/cmp_stat.h \
	src/report/cmp_verdict.c src/report/cmp_verdict.h \
	src/report/facts_device.c src/report/facts_drive.c src/report/facts_host.c src/report/facts_priv.h \
	src/report/figures.c src/report/figures.h \
	src/report/judge.c \
	src/report/rep_csv.c \
	src/report/rep_facts.c src/report/rep_facts.h \
	src/report/rep_json_capture.c \
	src/report/rep_json_file.c \
	src/report/rep_json_put.h \
	src/report/rep_json_tests.c \
	src/report/rep_json.c src/report/rep_json_doc.c src/report/rep_json_facts.c src/report/rep_json.h \
	src/report/rep_json_read.c src/report/rep_json_read.h \
	src/report/rep_json_twin.c src/report/rep_json_twin.h \
	src/report/rep_tests.c src/report/rep_tests.h \
	src/report/rep_text_capture.c \
	src/report/rep_text.c src/report/rep_text_details.c src/report/rep_text_raw.c src/report/rep_text.h \
	src/report/result.c src/report/result.h
