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
	src/trace/block.c src/trace/block.h \
	src/trace/block_match.c src/trace/block_match.h \
	src/trace/block_ring.c src/trace/block_ring.h \
	src/trace/block_stale.c \
	src/trace/cached.c src/trace/cached.h \
	src/trace/recorder.c src/trace/recorder.h \
	src/trace/summary.c src/trace/summary.h \
	src/trace/system.c src/trace/system.h \
	src/trace/trace.h \
	src/trace/trace_file.c src/trace/trace_file.h \
	src/trace/vfs.c src/trace/vfs.h \
	src/trace/vfs_pass.c src/trace/vfs_pass.h
