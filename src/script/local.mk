libioltp_a_SOURCES += \
	src/script/chunk.c \
	src/script/command.c \
	src/script/compat.c \
	src/script/con.c src/script/con.h \
	src/script/env.c \
	src/script/export.h src/script/ffi_api.h \
	src/script/ffi_rand.c \
	src/script/ffi_run.c \
	src/script/ffi_sql.c \
	src/script/hooks.c \
	src/script/host.c src/script/host.h \
	src/script/host_options.c \
	src/script/loop.c \
	src/script/script.c src/script/script.h \
	src/script/source.c \
	src/script/state.c src/script/state.h \
	src/script/team.c \
	src/script/vm.c \
	src/script/waiting.c
