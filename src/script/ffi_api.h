/* SPDX-License-Identifier: MIT */
/*
 * ffi_api: the C functions that the Lua half of the API calls by ffi.C. This file is compiled and
 * also handed to LuaJIT as text (preprocessor lines are dropped), so that there is one declaration
 * and not two: only plain C that LuaJIT's parser reads.
 *
 * Calls mean the client whose thread makes them (client_now). Those that may wait are also in
 * waiting.c, for states that several clients share.
 */
#ifndef IOLTP_SCRIPT_FFI_API_H
#define IOLTP_SCRIPT_FFI_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ioltp_con; /* a connection of a script */
struct sql_stmt;
struct sql_result;
struct hist;

/* Laid out as struct sql_param (asserted). */
struct ioltp_param {
	int type;
	int is_null;
	int64_t i;
	double d;
	char *buf;
	uint64_t len;
	uint64_t room;
	uint64_t max;
};

/* Laid out as struct sql_value. */
struct ioltp_value {
	const char *text;
	size_t len;
};

/* Laid out as struct sql_error. */
struct ioltp_error {
	int outcome; /* 0 OK, 1 RETRY, 2 FATAL, 3 LOST, 4 UNKNOWN */
	int code;
	char state[8];
	char text[512];
};

/* ---- the event loop: client.h ---- */
/* Number of the client. */
int ioltp_self(void);
bool ioltp_next(void);
bool ioltp_done_next(void);
void ioltp_done(int fate);
bool ioltp_retry(void);
int ioltp_type(void);
/* Rolls back every open transaction of the client and connects again what was lost; false: the run
 * ends first. */
bool ioltp_recover(void);
/* Counts an ignorable error that the script raised itself. */
void ioltp_count_error(void);

/* ---- random numbers: dist.h; kind as enum dist_type, -1 the one of --rand-type ---- */
double ioltp_rand_default(double a, double b);
double ioltp_rand(int kind, double a, double b);
int64_t ioltp_rand64(int kind, int64_t a, int64_t b);
uint64_t ioltp_rand_u64(void);
double ioltp_rand_double(void);
double ioltp_rand_unique(void);
/* One of the numbers below n, 1 to 2^32: none twice in the process before all are used up. */
double ioltp_rand_unique_below(double n);
/* Fills a buffer of the client's from a template; valid until the next call. */
const char *ioltp_rand_template(const char *fmt, size_t len);
/* Lower case letters and digits, between min and max of them; the length is at *len. */
const char *ioltp_rand_varstring(uint32_t min, uint32_t max, size_t *len);

/* ---- SQL: calls return 0 done without rows, 1 done with rows, 2 pending (ask ioltp_poll), 3
 * done with rows in another ioltp_stmt_result than before, -1 failed (ioltp_con_error) ---- */
int ioltp_con_connect(struct ioltp_con *con);
void ioltp_con_disconnect(struct ioltp_con *con);
bool ioltp_con_connected(const struct ioltp_con *con);
int ioltp_con_reconnect(struct ioltp_con *con);
const struct ioltp_error *ioltp_con_error(const struct ioltp_con *con);
double ioltp_con_affected(const struct ioltp_con *con);
double ioltp_con_warnings(const struct ioltp_con *con);
int ioltp_query(struct ioltp_con *con, const char *text, size_t len);
int ioltp_poll(struct ioltp_con *con);
/* The result of the last ioltp_query that returned 1; the caller's, to be given to
 * ioltp_result_free. */
struct sql_result *ioltp_take_result(struct ioltp_con *con);
bool ioltp_more_results(const struct ioltp_con *con);
int ioltp_next_result(struct ioltp_con *con);
struct sql_stmt *ioltp_prepare(struct ioltp_con *con, const char *text, size_t len);
unsigned ioltp_stmt_nparams(const struct sql_stmt *stmt);
int ioltp_bind(struct sql_stmt *stmt, struct ioltp_param **params, unsigned n);
int ioltp_execute(struct ioltp_con *con, struct sql_stmt *stmt);
struct sql_result *ioltp_stmt_result(struct sql_stmt *stmt);
void ioltp_stmt_close(struct sql_stmt *stmt);
/* What the collector of a shared state does with statements and results: their connection closes
 * them when its own client uses it again. */
void ioltp_stmt_drop(struct sql_stmt *stmt);
void ioltp_result_drop(struct sql_result *result);
bool ioltp_fetch(struct sql_result *result);
const struct ioltp_value *ioltp_values(const struct sql_result *result);
double ioltp_nfields(const struct sql_result *result);
double ioltp_nrows(const struct sql_result *result);
/* 0: it has rows, and none was read; 1: some were; 2: all were. */
int ioltp_result_state(const struct sql_result *result);
void ioltp_result_free(struct sql_result *result);
int ioltp_pipeline(struct ioltp_con *con, bool begin);
int ioltp_bulk_init(struct ioltp_con *con, const char *head, size_t len);
int ioltp_bulk_next(struct ioltp_con *con, const char *row, size_t len);
int ioltp_bulk_done(struct ioltp_con *con);

struct ioltp_param *ioltp_param_new(int type, uint64_t max);
void ioltp_param_free(struct ioltp_param *p);
void ioltp_param_text(struct ioltp_param *p, const char *text, size_t len);
void ioltp_param_template(struct ioltp_param *p, const char *fmt, size_t len);

/* ---- histograms of scripts: hist.h, values in ns ---- */
struct hist *ioltp_hist_new(void);
void ioltp_hist_free(struct hist *h);
void ioltp_hist_record(struct hist *h, double value);

/* ---- names of sysbench that scripts call by ffi.C ---- */
typedef enum {
	SB_CNT_OTHER,
	SB_CNT_READ,
	SB_CNT_WRITE,
	SB_CNT_EVENT,
	SB_CNT_ERROR,
	SB_CNT_RECONNECT,
	SB_CNT_BYTES_READ,
	SB_CNT_BYTES_WRITTEN,
	SB_CNT_MAX
} sb_counter_type;

bool sb_more_events(int thread_id);
void sb_event_start(int thread_id);
void sb_event_stop(int thread_id);
void sb_counter_inc(int thread_id, sb_counter_type type);
void sb_counter_add(int thread_id, sb_counter_type type, uint64_t value);
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
uint32_t sb_rand_unique(void);
void sb_rand_str(const char *fmt, char *buf);
uint32_t sb_rand_varstr(char *buf, uint32_t min_len, uint32_t max_len);
double sb_rand_uniform_double(void);
uint64_t sb_rand_uniform_uint64(void);

#endif
