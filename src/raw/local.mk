libioltp_a_SOURCES += \
	src/raw/counters.h \
	src/raw/device.h \
	src/raw/guard.c src/raw/guard.h src/raw/guard_priv.h \
	src/raw/guard_database.c \
	src/raw/guard_family.c \
	src/raw/guard_file.c \
	src/raw/guard_mount.c \
	src/raw/guard_serial.c \
	src/raw/guard_signature.c \
	src/raw/guard_target.c \
	src/raw/guard_use.c \
	src/raw/nvme_parse.h \
	src/raw/profile.h \
	src/raw/purge.h
