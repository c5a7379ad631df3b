libioltp_a_SOURCES += \
	src/sql/driver.c src/sql/driver.h src/sql/driver_priv.h \
	src/sql/driver_registry.c \
	src/sql/driver_stmt.c \
	src/sql/dropped.c \
	src/sql/drv_null.c \
	src/sql/drv_sqlite.c src/sql/drv_sqlite.h \
	src/sql/drv_sqlite_bulk.c \
	src/sql/drv_sqlite_conn.c \
	src/sql/drv_sqlite_error.c \
	src/sql/drv_sqlite_facts.c \
	src/sql/drv_sqlite_functions.c \
	src/sql/drv_sqlite_lock.c \
	src/sql/drv_sqlite_open.c \
	src/sql/drv_sqlite_txn.c \
	src/sql/rowbuf.c src/sql/rowbuf.h \
	src/sql/sql_emulate.c src/sql/sql_emulate.h \
	src/sql/sql_errlist.c src/sql/sql_errlist.h \
	src/sql/sql_types.h \
	src/sql/sqlite_rewrite.c src/sql/sqlite_rewrite.h \
	src/sql/sqlite_rewrite_table.c src/sql/sqlite_words.h \
	src/sql/stmt_normalize.c \
	src/sql/stmt_scan.h \
	src/sql/stmt_text.c src/sql/stmt_text.h

if WITH_MYSQL
libioltp_a_SOURCES += \
	src/sql/drv_mysql.c src/sql/drv_mysql.h src/sql/drv_mysql_compat.h \
	src/sql/drv_mysql_array.c \
	src/sql/drv_mysql_bulk.c \
	src/sql/drv_mysql_conn.c \
	src/sql/drv_mysql_error.c \
	src/sql/drv_mysql_facts.c \
	src/sql/drv_mysql_fetch.c \
	src/sql/drv_mysql_file.c \
	src/sql/drv_mysql_options.c \
	src/sql/drv_mysql_query.c \
	src/sql/drv_mysql_read.c \
	src/sql/drv_mysql_stmt.c
endif

if WITH_PGSQL
libioltp_a_SOURCES += \
	src/sql/drv_pgsql.c src/sql/drv_pgsql.h \
	src/sql/drv_pgsql_bulk.c \
	src/sql/drv_pgsql_conn.c \
	src/sql/drv_pgsql_error.c \
	src/sql/drv_pgsql_facts.c \
	src/sql/drv_pgsql_open.c \
	src/sql/drv_pgsql_pipe.c \
	src/sql/drv_pgsql_query.c \
	src/sql/drv_pgsql_stmt.c
endif
