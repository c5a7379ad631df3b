libioltp_a_SOURCES += \
	src/cli/capture.c src/cli/capture.h \
	src/cli/capture_where.c src/cli/capture_where.h \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_compare.c \
	src/cli/cmd_db.c \
	src/cli/cmd_device.c \
	src/cli/cmd_raw.c \
	src/cli/cmd_scenario.c \
	src/cli/cmd_twin.c \
	src/cli/cmd_workload.c \
	src/cli/measure.c src/cli/measure.h \
	src/cli/paths.c src/cli/paths.h \
	src/cli/profiles.c src/cli/profiles.h \
	src/cli/raw_condition.c src/cli/raw_condition.h \
	src/cli/raw_measure.c src/cli/raw_measure.h \
	src/cli/raw_pts.c src/cli/raw_pts.h \
	src/cli/raw_pts_report.c \
	src/cli/raw_replay.c src/cli/raw_replay.h \
	src/cli/raw_stage.c src/cli/raw_stage.h \
	src/cli/targets.c src/cli/targets.h \
	src/cli/twin.h \
	src/cli/twin_replay.c \
	src/cli/twin_report.c \
	src/cli/twin_run.c src/cli/twin_run.h \
	src/cli/twin_source.c \
	src/cli/twin_target.c
