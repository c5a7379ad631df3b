libioltp_a_SOURCES += \
	src/load/board.c src/load/board.h \
	src/load/gen.c src/load/gen.h \
	src/load/gen_bank.c \
	src/load/gen_oltp.c \
	src/load/load.c src/load/load.h \
	src/load/progress.c
