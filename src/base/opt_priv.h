/* SPDX-License-Identifier: MIT */
/* opt_priv: what opt.c, opt_value.c, opt_file.c and opt_help.c share. Nobody else includes this. */
#ifndef IOLTP_BASE_OPT_PRIV_H
#define IOLTP_BASE_OPT_PRIV_H

#include "base/opt.h"

/* A number of any numeric type; comparing INT, SIZE and TIME in 128 bits is exact at both ends. */
struct opt_number {
	__int128 whole; /* OPT_INT, OPT_SIZE (bytes), OPT_TIME (ns) */
	double real;    /* OPT_DOUBLE, elements of an OPT_LIST with a range */
};

struct opt_value {
	char *text; /* as the user typed it (OPT_BOOL: "on", "off"); owned; NULL: unset */
	bool on;    /* OPT_BOOL */
	struct opt_number number;
	char **items; /* OPT_LIST; owned */
	unsigned n_items;
};

/* Strings that an entry declared at run time owns. */
enum opt_own {
	OPT_OWN_NAME,
	OPT_OWN_DEF,
	OPT_OWN_RANGE,
	OPT_OWN_CHOICES,
	OPT_OWN_UNIT,
	OPT_OWN_HELP,
	OPT_OWN_ALIAS,
	OPT_OWN_TITLE,
	OPT_OWN_COUNT
};

struct opt_entry {
	struct opt_desc desc; /* a copy, because a script may put another default into it */
	const char *title;
	bool declared; /* by a script: all strings are in `own` */
	char *own[OPT_OWN_COUNT];
	struct opt_value value; /* the default until given */
	bool given;
	unsigned source; /* of the value when given: 0 command line, n the n-th file */
};

struct opt_set {
	struct opt_entry *
	    *entries; /* heap each: descriptions keep their address while the set grows */
	unsigned n, room;
	unsigned n_files; /* files loaded so far */
	unsigned source;  /* where assignments come from now, as in opt_entry */
};

/* ---- opt.c ---- */

/* "a-b" equals "a_b". `len`: of `name`, which need not end there. */
bool opt_name_is(const char *canonical, const char *name, size_t len);
/* The entry of that very name, an alias unresolved; NULL: none. */
struct opt_entry *opt_entry_find(const struct opt_set *set, const char *name, size_t len);
/* The entry that keeps the value. */
struct opt_entry *opt_entry_resolve(const struct opt_set *set, struct opt_entry *e);
/* A mistake in the program, not of the user: says so and aborts. */
_Noreturn void opt_bug(const char *name, const char *what);

/* May it be given without a value? */
static inline bool opt_is_switch(const struct opt_desc *d)
{
	return d->type == OPT_BOOL || (d->flags & OPT_SWITCH) != 0;
}

/* ---- opt_value.c ---- */

/* Is the range well-formed for the type, and are there choices where needed? 0 or -EINVAL. */
int opt_desc_check(const struct opt_desc *d);
/*
 * Parses a text. `name`: what the user called the option, for the error text. `is_default`: a
 * default file need not exist. `v` owns what it gets and needs opt_value_fini. 0; -EINVAL with
 * `err`; -ENOMEM.
 */
int opt_value_parse(const struct opt_desc *d, const char *name, const char *text, bool is_default,
                    struct opt_value *v, struct err *err);
/* Adds the items of `more` (emptied) behind those of `v`. 0 or -ENOMEM. */
int opt_value_append(struct opt_value *v, struct opt_value *more);
/* Frees the content; a secret is wiped as well. */
void opt_value_fini(struct opt_value *v, bool secret);
/* Appends the range in words: "1..64", "at least 0", "between 0 and 1, ends excluded". Nothing when
 * there is none. */
void opt_add_range(const struct opt_desc *d, struct strbuf *out);
/* Appends the choices: "a, b, c". */
void opt_add_choices(const struct opt_desc *d, struct strbuf *out);
/* "a whole number", "a size" and so on. */
const char *opt_type_words(enum opt_type type);
/* Appends a text from the user so that it stays on one line of reasonable length. */
void opt_add_visible(struct strbuf *out, const char *text, size_t len);

#endif
