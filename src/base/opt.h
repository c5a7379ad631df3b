/* SPDX-License-Identifier: MIT */
/*
 * opt: option tables. One table parses, validates, documents (--help and the manual page) and
 * answers for the value; nothing about an option is written twice.
 *
 * A set is filled from groups of static tables, then from those that a script declares, then from
 * arguments. Names compare with '-' and '_' alike; the canonical form has '-'.
 */
#ifndef IOLTP_BASE_OPT_H
#define IOLTP_BASE_OPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"

enum opt_type {
	OPT_BOOL,   /* --x, --x=on|off|true|false|yes|no|1|0 */
	OPT_INT,    /* signed 64-bit */
	OPT_SIZE,   /* bytes, K M G T (1024) */
	OPT_TIME,   /* kept in ns; a bare number is seconds */
	OPT_DOUBLE, /* finite */
	OPT_STRING,
	OPT_ENUM, /* one of `choices` */
	OPT_LIST, /* comma separated strings, blanks around each dropped; empty means no elements */
	OPT_FILE, /* a path to a readable file, pipe or device, checked when given; a default need
	             not exist */
};

enum opt_flags {
	OPT_REPEAT = 1, /* OPT_LIST: the first use replaces the default, each next adds a whole
	                   value, commas kept; empty clears */
	OPT_SECRET = 2, /* never printed, in errors and help neither: "***" stands for it */
	OPT_OLD = 4,    /* an older name kept for existing commands; listed apart in the help */
	/* For opt_set_declare, of a name that the program has already: */
	OPT_YIELDS = 16,  /* with another type, it stays the program's */
	OPT_SHADOWS = 32, /* the user means this one by it; the program's keeps its default, and is
	                     set by --ioltp-NAME */
	OPT_SWITCH = 8,   /* OPT_ENUM with the choices on and off: also used as an OPT_BOOL is (--x,
	                     --no-x, true, 0 ...); letter case and '_' for '-' do not matter */
};

struct opt_desc {
	const char *name; /* canonical, with '-' */
	enum opt_type type;
	const char *def;     /* the default as a user would type it; NULL: none */
	const char *range;   /* numbers: "1..1024", "0..", "(0..1)" (ends excluded); of each element
	                        for lists of numbers; NULL: any */
	const char *choices; /* OPT_ENUM: "a|b|c" */
	const char *unit;    /* what a number counts, for the help: "threads", "rows"; NULL: none */
	const char *help;    /* one sentence, no full stop needed */
	unsigned flags;      /* enum opt_flags */
	const char *alias_of; /* this name sets that option (same type); own value is not kept */
};

/* Ends a table. */
/* clang-format off */
#define OPT_END {0}
/* clang-format on */

struct opt_set; /* opaque; one thread at a time */

struct opt_set *opt_set_new(void); /* NULL: out of memory */
void opt_set_free(struct opt_set *set);

/* Adds a table. `title` heads it in the help; both must outlive the set. Names must be new to the
 * set, and defaults, ranges and choices well-formed: the program aborts with the reason otherwise.
 */
void opt_set_add(struct opt_set *set, const char *title, const struct opt_desc *table);

/*
 * Adds one option declared at run time (by a script); everything is copied. A name that exists
 * already is not an error when its type is equal: the newer default wins (scripts redeclare).
 * -EEXIST otherwise, with `err`. A default that does not fit its type is -EINVAL with `err`, and so
 * is a value that the user gave before and that a new range excludes; nothing has changed then. Of
 * an option of ours only the default can be declared anew: range and text stay. The name is
 * letters, digits, '-', '_' and '.'; '_' becomes '-'. -ENOMEM with `err`.
 */
int opt_set_declare(struct opt_set *set, const char *title, const struct opt_desc *desc,
                    struct err *err);

/* The description by name ('_' and '-' alike, aliases resolved), or NULL. */
const struct opt_desc *opt_find(const struct opt_set *set, const char *name);

/*
 * One argument "--name", "--name=value" or "--no-name" (OPT_BOOL, OPT_SWITCH). Returns 0; -ENOENT
 * when no option has that name (err untouched: the caller may know it later, or uses opt_unknown);
 * -EINVAL with `err` when the value does not fit, and then the option keeps the one it had; -ENOMEM
 * with `err`. The last use of an option wins.
 */
int opt_parse_arg(struct opt_set *set, const char *arg, struct err *err);

/* Sets by name, as if given by the user. Returns as opt_parse_arg. `value` NULL: as "--name" alone.
 */
int opt_assign(struct opt_set *set, const char *name, const char *value, struct err *err);

/* Fills `err` for an argument that nothing knows: names it, and the nearest known name if one is
 * near; the value, which may be a secret, is not shown. -EINVAL. */
int opt_unknown(const struct opt_set *set, const char *arg, struct err *err);

/*
 * A configuration file: a line "name=value", "name" or "--name=value". A line that begins with '#'
 * or ';' is a comment, and so is the rest of a line from a '#' behind a blank (a password may have
 * a '#' elsewhere); blanks around '=' and around the line are dropped, and a pair of quotes around
 * the whole value; "[section]" lines are ignored. Values given before (command line, an earlier
 * file) win, but what the file says must fit all the same. Unknown names go to `unknown`, called
 * with "--name=value" (NULL: they are errors); a non-zero return ends the reading and is returned.
 * A missing or unreadable file, a directory, and what does not fit is -EINVAL with `err` (path and
 * line number, never the value of an unknown name). -ENOMEM with `err`.
 */
int opt_load_file(struct opt_set *set, const char *path, int (*unknown)(void *ctx, const char *arg),
                  void *ctx, struct err *err);

/* True when the user gave it (command line or file); false for a name that does not exist. */
bool opt_given(const struct opt_set *set, const char *name);

/* Values. The name must exist with that type (the program aborts otherwise). Defaults apply;
 * without one: false, 0, 0.0, NULL. */
bool opt_bool(const struct opt_set *set, const char *name);
int64_t opt_int(const struct opt_set *set, const char *name);
uint64_t opt_size_bytes(const struct opt_set *set, const char *name);
uint64_t opt_time_ns(const struct opt_set *set, const char *name);
double opt_double(const struct opt_set *set, const char *name);
/* The name as the user knows it, of one that is in a description: one that shadows another has a
 * mark before it, by which the functions above find it. */
const char *opt_shown(const char *name);
/* By what name the functions above find the option that the user means by this one. */
const char *opt_meant(const struct opt_set *set, const char *name);
/* OPT_STRING, OPT_ENUM, OPT_FILE: owned by the set, valid until it changes. */
const char *opt_str(const struct opt_set *set, const char *name);
/* OPT_LIST: number of elements; `*items` (may be NULL) gets an array owned by the set. */
unsigned opt_list(const struct opt_set *set, const char *name, const char *const **items);

/* Calls fn for each option in order: canonical names only. `value` is the text in force, NULL when
 * unset, "***" for secrets. */
void opt_each(const struct opt_set *set,
              void (*fn)(void *ctx, const struct opt_desc *desc, const char *value, bool given),
              void *ctx);

/* The help of the groups added so far, in 80 columns: titles, "--name=TYPE", text, unit, range,
 * default; older names behind them. `title` NULL: all groups, and how values are written. */
void opt_print_help(const struct opt_set *set, const char *title, FILE *out);
/* The same as roff for a manual page (.SS titles, .TP items). */
void opt_print_man(const struct opt_set *set, FILE *out);

/* Splits "a,b,c" (no quoting) calling fn for each element with its text, blanks around it dropped;
 * "" has none, "a," has two. Stops at the first non-zero return and returns that. 0 or -ENOMEM
 * otherwise. */
int opt_split(const char *text, int (*fn)(void *ctx, const char *item), void *ctx);

#endif
