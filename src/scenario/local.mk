libioltp_a_SOURCES += \
	src/scenario/plan.c src/scenario/plan.h \
	src/scenario/reader.c src/scenario/reader.h \
	src/scenario/reader_save.c
