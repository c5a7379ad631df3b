libioltp_a_SOURCES += \
	src/db/db.h src/db/db_priv.h \
	src/db/db_files.c \
	src/db/db_find.c \
	src/db/db_json.c \
	src/db/db_launch.c \
	src/db/db_mariadb.c \
	src/db/db_marker.c \
	src/db/db_ping.c \
	src/db/db_postgres.c \
	src/db/db_process.c \
	src/db/db_settings.c \
	src/db/db_start.c \
	src/db/db_stop.c
