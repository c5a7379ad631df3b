libioltp_a_SOURCES += \
	src/trace/recorder.c src/trace/recorder.h \
	src/trace/trace.h \
	src/trace/trace_file.c src/trace/trace_file.h
