libioltp_a_SOURCES += \
	src/base/blockstat.c src/base/blockstat.h \
	src/base/clock.c src/base/clock.h \
	src/base/cpu.c src/base/cpu.h \
	src/base/datadir.c src/base/datadir.h \
	src/base/dist.c src/base/dist.h \
	src/base/drive.c src/base/drive.h \
	src/base/gcd.h \
	src/base/err.c src/base/err.h \
	src/base/hist.c src/base/hist.h \
	src/base/hist_codec.c src/base/hist_codec.h \
	src/base/keys.c src/base/keys.h \
	src/base/kv.c src/base/kv.h \
	src/base/log.c src/base/log.h \
	src/base/near.c src/base/near.h \
	src/base/opt.c src/base/opt_file.c src/base/opt_help.c src/base/opt_value.c src/base/opt_priv.h src/base/opt.h \
	src/base/rng.c src/base/rng.h \
	src/base/strbuf.c src/base/strbuf.h \
	src/base/sysfs.c src/base/sysfs.h \
	src/base/tree.c src/base/tree.h \
	src/base/units.c src/base/units.h
