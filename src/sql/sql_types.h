/* SPDX-License-Identifier: MIT */
/* sql_types: what statements, parameters and failures are, for all engines. Parameters are laid out
 * for the script side, which fills them in place. */
#ifndef IOLTP_SQL_TYPES_H
#define IOLTP_SQL_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* What came of a call. */
enum sql_outcome {
	SQL_OK,
	SQL_RETRY, /* the event may be run again after a rollback: deadlock, serialization, busy */
	SQL_FATAL, /* the database refused: syntax, missing table, constraint, disk full */
	SQL_LOST,  /* the connection is gone */
	SQL_UNKNOWN, /* the connection went during COMMIT, or during a write that commits itself:
	                done or not, nobody knows */
};

struct sql_error {
	enum sql_outcome outcome;
	int code;       /* the engine's number */
	char state[8];  /* SQLSTATE */
	char text[512]; /* the engine's words, one line */
};

/* What a statement is, by its first words, also when it changes no row. */
enum sql_class { SQL_READ, SQL_WRITE, SQL_OTHER };

/* The 13 types of the script API, in its numbering. */
enum sql_type {
	SQL_TYPE_NONE,
	SQL_TYPE_TINYINT,
	SQL_TYPE_SMALLINT,
	SQL_TYPE_INT,
	SQL_TYPE_BIGINT,
	SQL_TYPE_FLOAT,
	SQL_TYPE_DOUBLE,
	SQL_TYPE_TIME,
	SQL_TYPE_DATE,
	SQL_TYPE_DATETIME,
	SQL_TYPE_TIMESTAMP,
	SQL_TYPE_CHAR,
	SQL_TYPE_VARCHAR,
	SQL_TYPE_COUNT
};

/*
 * A parameter. Integer types use i, FLOAT and DOUBLE use d, all others text (buf, len bytes). The
 * owner (script side) keeps buf; drivers only read during execute.
 */
struct sql_param {
	int type;    /* enum sql_type */
	int is_null; /* 1: NULL, whatever else is set */
	int64_t i;
	double d;
	char *buf;
	uint64_t len;
	uint64_t room; /* bytes allocated at buf */
	uint64_t max;  /* CHAR, VARCHAR: longer text is cut to this; 0: no limit */
};

/* Bytes of a text parameter after the cut to `max`, which does not split a UTF-8 character. */
static inline uint64_t sql_param_len(const struct sql_param *p)
{
	uint64_t len = p->len;

	if (p->max == 0 || len <= p->max)
		return len;
	len = p->max;
	while (len > 0 && p->max - len < 4 && ((unsigned char)p->buf[len] & 0xC0) == 0x80)
		len--;
	return len;
}

static inline int sql_type_is_int(int type)
{
	return type >= SQL_TYPE_TINYINT && type <= SQL_TYPE_BIGINT;
}

static inline int sql_type_is_double(int type)
{
	return type == SQL_TYPE_FLOAT || type == SQL_TYPE_DOUBLE;
}

struct sql_value {
	const char *text; /* NULL: SQL NULL */
	size_t len;
};

#endif
