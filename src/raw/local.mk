libioltp_a_SOURCES += \
	src/raw/access.c src/raw/access.h \
	src/raw/condition.c src/raw/condition.h \
	src/raw/counters.c src/raw/counters_diff.c src/raw/counters.h \
	src/raw/curve.c src/raw/curve.h \
	src/raw/data.c src/raw/data.h \
	src/raw/deck.c src/raw/deck.h \
	src/raw/device.c src/raw/device_nvme.c src/raw/device.h src/raw/device_priv.h \
	src/raw/eng_null.c \
	src/raw/eng_sync.c \
	src/raw/eng_uring.c \
	src/raw/eng_uring_cmd.c \
	src/raw/eng_uring_ring.c src/raw/eng_uring_ring.h \
	src/raw/engine.c src/raw/engine.h \
	src/raw/guard.c src/raw/guard.h src/raw/guard_priv.h \
	src/raw/guard_database.c \
	src/raw/guard_family.c \
	src/raw/guard_file.c \
	src/raw/guard_mount.c \
	src/raw/guard_serial.c \
	src/raw/guard_signature.c \
	src/raw/guard_target.c \
	src/raw/guard_use.c \
	src/raw/io_loop.c src/raw/io_loop.h \
	src/raw/io_replay.c src/raw/io_replay.h \
	src/raw/io_source.c src/raw/io_source.h \
	src/raw/io_txn.c src/raw/io_txn.h \
	src/raw/io_txn_step.c \
	src/raw/io_worker.c src/raw/io_worker.h \
	src/raw/nvme.c src/raw/nvme.h \
	src/raw/nvme_parse.c src/raw/nvme_parse.h \
	src/raw/profile.h \
	src/raw/profile_check.c \
	src/raw/profile_tree.c \
	src/raw/profile_value.c src/raw/profile_value.h \
	src/raw/purge.c src/raw/purge_others.c src/raw/purge.h src/raw/purge_priv.h \
	src/raw/raw_opt.c src/raw/raw_opt.h \
	src/raw/raw_run.c src/raw/raw_run.h \
	src/raw/pts.c src/raw/pts.h \
	src/raw/steady.c src/raw/steady.h \
	src/raw/timers.c src/raw/timers.h
