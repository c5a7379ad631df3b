libioltp_a_SOURCES += \
	src/run/captured.h \
	src/run/cells.h \
	src/run/client.c src/run/client.h \
	src/run/mix.c src/run/mix.h \
	src/run/run.c src/run/run_config.c src/run/run.h \
	src/run/sched.c src/run/sched.h \
	src/run/tally.c src/run/tally_sum.c src/run/tally.h \
	src/run/ticker.c src/run/ticker.h \
	src/run/worker.c src/run/worker.h
