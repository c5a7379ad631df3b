libioltp_a_SOURCES += \
	src/trace/distil.c src/trace/distil.h src/trace/distil_priv.h \
	src/trace/distil_bands.c \
	src/trace/distil_cache.c \
	src/trace/distil_count.c \
	src/trace/distil_load.c \
	src/trace/distil_runs.c \
	src/trace/distil_stream.c \
	src/trace/distil_tree.c \
	src/trace/distil_txn.c \
	src/trace/recorder.c src/trace/recorder.h \
	src/trace/trace.h \
	src/trace/trace_file.c src/trace/trace_file.h
