/* SPDX-License-Identifier: MIT */
/*
 * keys: what a table of a file may hold. One description of each key checks it and stores it into
 * the caller's struct; what is not described is refused. Any thread.
 */
#ifndef IOLTP_BASE_KEYS_H
#define IOLTP_BASE_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/tree.h"

enum key_type {
	KEY_TEXT,    /* char[room] */
	KEY_BOOL,    /* bool */
	KEY_NUMBER,  /* double within lo..hi */
	KEY_PERCENT, /* double: 0..100 in the file, 0..1 in the struct */
	KEY_COUNT,   /* unsigned within lo..hi, a whole number */
	KEY_SIZE,    /* uint64_t bytes within lo..hi: a number, or text as "4k" */
	KEY_TIME,    /* uint64_t ns, lo..hi in seconds: a number of seconds, or text as "5ms" */
	KEY_PARSED,  /* by `parse` */
	KEY_OTHER,   /* known; the caller reads it itself */
};

struct key {
	const char *name;
	enum key_type type;
	size_t offset; /* of the field in the struct */
	double lo, hi; /* both 0: anything that is not negative */
	size_t room;   /* KEY_TEXT: bytes of the field */
	bool required;
	/* `where` names the value in errors: "FILE: streams[1].bs". 0 or -EINVAL with `err`. */
	int (*parse)(void *field, const struct tree *value, const char *where, struct err *err);
};

/*
 * Reads the table into the struct; keys that are absent leave their fields alone. `where` names the
 * table in errors: "FILE" or "FILE: streams[1]". 0; -EINVAL with `err`: no table, elements without
 * a name, an unknown key (the nearest known one is named), a missing one, one of the wrong type or
 * out of range.
 */
int keys_read(void *into, const struct tree *table, const char *where, const struct key *keys,
              size_t nkeys, struct err *err);

#define KEYS_WHERE_LEN 5000 /* a path and the names of what holds the value */

/* The name of a place, "FILE: streams[1]", cut to fit. */
void keys_where(char place[KEYS_WHERE_LEN], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "a number", "text", "a table", ... */
const char *keys_kind(const struct tree *value);
/* A size in bytes, a number or text; -EINVAL when it is none. */
int keys_size(const struct tree *value, uint64_t *bytes);
/*
 * Index of the value's text in `choices`. -EINVAL with `err` that lists them.
 */
int keys_choice(const struct tree *value, const char *const *choices, unsigned nchoices,
                const char *where, struct err *err);
/* The value's n elements, a table with nothing but those: `lo` to `hi` of them. -EINVAL with
 * `err`. `value` may be NULL: no elements. */
int keys_list(const struct tree *value, unsigned lo, unsigned hi, const char *where,
              struct err *err);

#endif
