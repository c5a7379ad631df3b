libioltp_a_SOURCES += \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_raw.c \
	src/cli/cmd_workload.c \
	src/cli/measure.c src/cli/measure.h \
	src/cli/profiles.c src/cli/profiles.h \
	src/cli/raw_measure.c src/cli/raw_measure.h
