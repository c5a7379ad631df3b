libioltp_a_SOURCES += \
	src/raw/counters.c src/raw/counters_diff.c src/raw/counters.h src/raw/counters_priv.h \
	src/raw/device.c src/raw/device_nvme.c src/raw/device.h src/raw/device_priv.h \
	src/raw/guard.c src/raw/guard.h src/raw/guard_priv.h \
	src/raw/guard_database.c \
	src/raw/guard_family.c \
	src/raw/guard_file.c \
	src/raw/guard_mount.c \
	src/raw/guard_serial.c \
	src/raw/guard_signature.c \
	src/raw/guard_target.c \
	src/raw/guard_use.c \
	src/raw/nvme.c src/raw/nvme.h \
	src/raw/nvme_parse.c src/raw/nvme_parse.h \
	src/raw/profile.h \
	src/raw/purge.c src/raw/purge_others.c src/raw/purge.h src/raw/purge_priv.h
