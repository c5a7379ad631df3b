/* SPDX-License-Identifier: MIT */
/* driver_priv: what driver.c and its neighbours (emulation, default bulk) share. Not for drivers or
 * callers. */
#ifndef IOLTP_SQL_DRIVER_PRIV_H
#define IOLTP_SQL_DRIVER_PRIV_H

#include <string.h>

#include "sql/driver.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Forgets the last call's outcome. */
static inline void conn_clear(struct sql_conn *conn)
{
	if (UNLIKELY(conn->error.outcome != SQL_OK)) {
		conn->error.outcome = SQL_OK;
		conn->undone = false;
		conn->error.code = 0;
		conn->error.state[0] = '\0';
		conn->error.text[0] = '\0';
	}
	conn->affected = 0;
	conn->warnings = 0;
}

/* Gives back what the driver holds for a result; the object stays. */
void result_empty(struct sql_result *result, const struct driver_ops *ops);
/* Takes it off its connection's list. */
void result_unlink(struct sql_result *result);
/* Frees an empty result that is on no list. */
void result_destroy(struct sql_result *result);

/* After a connect that is done: connected, or dropped. */
void conn_connected(struct sql_conn *conn);
/* After a call that went wrong; `text`: the statement, NULL when there was none. A lost connection
 * is dropped. */
void conn_failed(struct sql_conn *conn, const char *text, size_t len);
/* After a statement that went well: what it means when the connection goes before all of its
 * results were read. */
void conn_note_more(struct sql_conn *conn, const char *text, size_t len);
/* A line of --db-debug. */
void conn_log(struct sql_conn *conn, const char *what, const char *text, size_t len);
/* Sets SQL_LOST "not connected". */
void conn_not_connected(struct sql_conn *conn);
/* Runs a text to its end, not hashed; rows are dropped; the outcome is in conn->error. */
void conn_run(struct sql_conn *conn, const char *text, size_t len);
/* Polls until the pending call is done. */
void conn_wait(struct sql_conn *conn, enum sql_call call);

/* One step of the statement hash: order and length count. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
	return hash ^ (hash >> 29);
}

static inline uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t len)
{
	uint64_t word;
	size_t at = 0;

	hash = hash_word(hash, len);
	for (; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		hash = hash_word(hash, word);
	}
	if (at < len) {
		word = 0;
		memcpy(&word, bytes + at, len - at);
		hash = hash_word(hash, word);
	}
	return hash;
}

#endif
