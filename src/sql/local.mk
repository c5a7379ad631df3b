libioltp_a_SOURCES += \
	src/sql/driver.c src/sql/driver.h \
	src/sql/drv_null.c \
	src/sql/drv_sqlite.c \
	src/sql/rowbuf.c src/sql/rowbuf.h \
	src/sql/sql_types.h \
	src/sql/stmt_text.c src/sql/stmt_text.h
