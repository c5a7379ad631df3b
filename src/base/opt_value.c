/* SPDX-License-Identifier: MIT */
/* What a single option's text means: types, ranges, and what is wrong with a text that does not
 * fit. */
#include "base/opt_priv.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

#define BOUND_LEN   48 /* bytes of a bound in a table, NUL included */
#define VISIBLE_LEN 120

struct bound {
	bool set, excluded;
	char text[BOUND_LEN];
	struct opt_number number;
};

struct range {
	struct bound low, high;
};

static const struct {
	const char *kind;
	const char *widest; /* what fits into the type when no range says more */
} type_words[] = {
    [OPT_BOOL] = {"on or off", NULL},
    [OPT_INT] = {"a whole number", "-9223372036854775808..9223372036854775807"},
    [OPT_SIZE] = {"a size such as 4096, 64k or 1.5G", "0..16383P"},
    [OPT_TIME] = {"a time such as 10, 500ms or 1h30m", "0 or 1ns..5124095h"},
    [OPT_DOUBLE] = {"a number", "a number within +-1e308"},
    [OPT_STRING] = {"a text", NULL},
    [OPT_ENUM] = {"a choice", NULL},
    [OPT_LIST] = {"a list", NULL},
    [OPT_FILE] = {"a readable file", NULL},
};

const char *opt_type_words(enum opt_type type)
{
	return type_words[type].kind;
}

static bool is_number(enum opt_type type)
{
	return type == OPT_INT || type == OPT_SIZE || type == OPT_TIME || type == OPT_DOUBLE;
}

/* Lists of numbers have no type of their own: their elements are doubles. */
static bool is_real(enum opt_type type)
{
	return type == OPT_DOUBLE || type == OPT_LIST;
}

/* 0, -EINVAL, -ERANGE as the units functions. */
static int parse_number(enum opt_type type, const char *text, struct opt_number *n)
{
	int64_t whole = 0;
	uint64_t amount = 0;
	int rc;

	*n = (struct opt_number){0};
	switch (type) {
	case OPT_INT:
		rc = units_parse_int(text, &whole);
		n->whole = whole;
		return rc;
	case OPT_SIZE:
		rc = units_parse_size(text, &amount);
		n->whole = amount;
		return rc;
	case OPT_TIME:
		rc = units_parse_time(text, &amount);
		n->whole = amount;
		return rc;
	default:
		return units_parse_double(text, &n->real);
	}
}

static int compare(enum opt_type type, const struct opt_number *a, const struct opt_number *b)
{
	if (is_real(type))
		return (a->real > b->real) - (a->real < b->real);
	return (a->whole > b->whole) - (a->whole < b->whole);
}

static int parse_bound(enum opt_type type, const char *text, size_t len, bool excluded,
                       struct bound *b)
{
	*b = (struct bound){.set = len != 0, .excluded = excluded};
	if (len >= sizeof(b->text))
		return -EINVAL;
	memcpy(b->text, text, len);
	return b->set ? parse_number(type, b->text, &b->number) : 0;
}

/* "1..5", "0..", "..5", and "(" or ")" in place of the default "[" and "]" at an end that is
 * excluded. */
static int parse_range(enum opt_type type, const char *text, struct range *r)
{
	size_t len = strlen(text);
	bool low_excluded = *text == '(';
	bool high_excluded = len > 0 && text[len - 1] == ')';
	const char *dots;
	int rc;

	if (len > 0 && (high_excluded || text[len - 1] == ']'))
		len--;
	if (len > 0 && (low_excluded || *text == '[')) {
		text++;
		len--;
	}
	dots = strstr(text, "..");
	if (dots == NULL || dots + 2 > text + len)
		return -EINVAL;
	rc = parse_bound(type, text, (size_t)(dots - text), low_excluded, &r->low);
	if (rc == 0)
		rc = parse_bound(type, dots + 2, len - (size_t)(dots + 2 - text), high_excluded,
		                 &r->high);
	if (rc != 0 || (!r->low.set && !r->high.set))
		return -EINVAL;
	if (r->low.set && r->high.set) {
		int order = compare(type, &r->low.number, &r->high.number);

		if (order > 0 || (order == 0 && (low_excluded || high_excluded)))
			return -EINVAL;
	}
	return 0;
}

static bool in_range(enum opt_type type, const struct range *r, const struct opt_number *n)
{
	if (r->low.set) {
		int order = compare(type, n, &r->low.number);

		if (order < 0 || (order == 0 && r->low.excluded))
			return false;
	}
	if (r->high.set) {
		int order = compare(type, n, &r->high.number);

		if (order > 0 || (order == 0 && r->high.excluded))
			return false;
	}
	return true;
}

static bool same_choice(const char *choice, const char *text, size_t len, bool loose)
{
	if (!loose)
		return strncmp(choice, text, len) == 0;
	for (size_t i = 0; i < len; i++) {
		if (tolower((unsigned char)text[i]) != choice[i] &&
		    !(text[i] == '_' && choice[i] == '-'))
			return false;
	}
	return true;
}

/* The choice that a text means, up to its '|' or the end; NULL: none. */
static const char *find_choice(const struct opt_desc *d, const char *text)
{
	bool loose = (d->flags & OPT_SWITCH) != 0;
	size_t len;

	if (loose && units_parse_bool(text) >= 0)
		text = units_parse_bool(text) == 1 ? "on" : "off";
	len = strlen(text);
	for (const char *c = d->choices; c != NULL; c = strchr(c, '|')) {
		c += *c == '|';
		if (strcspn(c, "|") == len && same_choice(c, text, len, loose))
			return c;
	}
	return NULL;
}

int opt_desc_check(const struct opt_desc *d)
{
	struct range r;

	if ((unsigned)d->type > OPT_FILE)
		return -EINVAL;
	if (d->type == OPT_ENUM && (d->choices == NULL || *d->choices == '\0'))
		return -EINVAL;
	if ((d->flags & OPT_REPEAT) != 0 && d->type != OPT_LIST)
		return -EINVAL;
	if ((d->flags & OPT_SWITCH) != 0 &&
	    (d->type != OPT_ENUM || find_choice(d, "on") == NULL || find_choice(d, "off") == NULL))
		return -EINVAL;
	if (d->range == NULL)
		return 0;
	if (!is_number(d->type) && d->type != OPT_LIST)
		return -EINVAL;
	return parse_range(d->type, d->range, &r);
}

void opt_add_range(const struct opt_desc *d, struct strbuf *out)
{
	struct range r;
	const char *between = "";

	if (d->range == NULL || parse_range(d->type, d->range, &r) != 0)
		return;
	if (r.low.set && r.high.set && r.low.excluded == r.high.excluded) {
		if (r.low.excluded)
			strbuf_addf(out, "between %s and %s, ends excluded", r.low.text,
			            r.high.text);
		else
			strbuf_addf(out, "%s..%s", r.low.text, r.high.text);
		return;
	}
	if (r.low.set) {
		strbuf_addf(out, "%s %s", r.low.excluded ? "above" : "at least", r.low.text);
		between = ", ";
	}
	if (r.high.set)
		strbuf_addf(out, "%s%s %s", between, r.high.excluded ? "below" : "at most",
		            r.high.text);
}

void opt_add_choices(const struct opt_desc *d, struct strbuf *out)
{
	for (const char *c = d->choices; *c != '\0'; c++) {
		if (*c == '|')
			strbuf_adds(out, ", ");
		else
			strbuf_addc(out, *c);
	}
}

void opt_add_visible(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		/* Cut between characters: a byte 10xxxxxx belongs to the one before. */
		if (i >= VISIBLE_LEN && (c & 0xc0) != 0x80) {
			strbuf_adds(out, "...");
			return;
		}
		strbuf_addc(out, c < ' ' || c == 0x7f ? '?' : (char)c);
	}
}

/* "--name=VALUE" for an error text. */
static void add_arg(struct strbuf *out, const struct opt_desc *d, const char *name,
                    const char *text)
{
	strbuf_addf(out, "--%s=", name);
	if ((d->flags & OPT_SECRET) != 0)
		strbuf_adds(out, "***");
	else
		opt_add_visible(out, text, strlen(text));
}

static int fail(struct strbuf *sb, struct err *err)
{
	if (sb->failed)
		err_usage(err, "out of memory");
	else
		err_usage(err, "%s", strbuf_str(sb));
	strbuf_fini(sb);
	return -EINVAL;
}

/*
 * `why`: -EINVAL the text is of another kind, -ERANGE it is outside of the range. `item`: the
 * element of a list at fault, or NULL.
 */
static int fail_number(const struct opt_desc *d, const char *name, const char *text,
                       const char *item, int why, struct err *err)
{
	enum opt_type type = item != NULL ? OPT_DOUBLE : d->type;
	struct strbuf sb = STRBUF_INIT;

	add_arg(&sb, d, name, text);
	strbuf_adds(&sb, ": ");
	if (item != NULL) {
		bool hidden = (d->flags & OPT_SECRET) != 0;

		strbuf_adds(&sb, "element ");
		if (*item == '\0')
			strbuf_adds(&sb, "\"\"");
		else
			opt_add_visible(&sb, hidden ? "***" : item, hidden ? 3 : strlen(item));
		strbuf_addc(&sb, ' ');
	}
	strbuf_adds(&sb, "must be ");
	if (why == -EINVAL) {
		strbuf_adds(&sb, type_words[type].kind);
		if (d->range != NULL)
			strbuf_adds(&sb, ", ");
	} else if (d->range == NULL) {
		strbuf_adds(&sb, type_words[type].widest);
	}
	opt_add_range(d, &sb);
	if (d->unit != NULL)
		strbuf_addf(&sb, " (%s)", d->unit);
	return fail(&sb, err);
}

static int check_number(const struct opt_desc *d, const char *text, struct opt_number *n)
{
	struct range r;
	int rc = parse_number(d->type, text, n);

	if (rc != 0 || d->range == NULL)
		return rc;
	if (parse_range(d->type, d->range, &r) != 0)
		opt_bug(d->name, "has a malformed range");
	return in_range(d->type, &r, n) ? 0 : -ERANGE;
}

static int check_bool(const struct opt_desc *d, const char *name, const char *text, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int on = units_parse_bool(text);

	if (on >= 0)
		return on;
	add_arg(&sb, d, name, text);
	strbuf_adds(&sb, ": must be on or off");
	return fail(&sb, err);
}

static int check_choice(const struct opt_desc *d, const char *name, const char *text,
                        struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	if (find_choice(d, text) != NULL)
		return 0;
	add_arg(&sb, d, name, text);
	strbuf_adds(&sb, ": must be one of ");
	opt_add_choices(d, &sb);
	return fail(&sb, err);
}

/* 0 or -errno. Devices and pipes are as good as files: a shell's <(...) is a pipe. */
static int can_read(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 ? -errno : 0;
}

static int check_file(const struct opt_desc *d, const char *name, const char *text, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int rc = can_read(text);

	if (rc == 0)
		return 0;
	add_arg(&sb, d, name, text);
	strbuf_adds(&sb, ": must be a readable file");
	if (*text != '\0')
		strbuf_addf(&sb, ": %s", strerror(-rc));
	return fail(&sb, err);
}

static int add_item(struct opt_value *v, const char *item)
{
	char **items = realloc(v->items, (v->n_items + 1) * sizeof(*items));

	if (items == NULL)
		return -ENOMEM;
	v->items = items;
	items[v->n_items] = strdup(item);
	if (items[v->n_items] == NULL)
		return -ENOMEM;
	v->n_items++;
	return 0;
}

static int add_item_of(void *ctx, const char *item)
{
	return add_item(ctx, item);
}

static int parse_list(const struct opt_desc *d, const char *name, const char *text,
                      struct opt_value *v, struct err *err)
{
	int rc;

	/* An empty text means no elements, for OPT_REPEAT too: it takes a default away. */
	if ((d->flags & OPT_REPEAT) != 0)
		rc = *text != '\0' ? add_item(v, text) : 0;
	else
		rc = opt_split(text, add_item_of, v);
	if (rc != 0 || d->range == NULL)
		return rc;
	for (unsigned i = 0; i < v->n_items; i++) {
		struct opt_number n;

		rc = check_number(d, v->items[i], &n);
		if (rc != 0)
			return fail_number(d, name, text, v->items[i], rc, err);
	}
	return 0;
}

static int parse_typed(const struct opt_desc *d, const char *name, const char *text,
                       bool is_default, struct opt_value *v, struct err *err)
{
	int rc;

	switch (d->type) {
	case OPT_BOOL:
		rc = check_bool(d, name, text, err);
		v->on = rc == 1;
		return rc < 0 ? rc : 0;
	case OPT_INT:
	case OPT_SIZE:
	case OPT_TIME:
	case OPT_DOUBLE:
		rc = check_number(d, text, &v->number);
		return rc != 0 ? fail_number(d, name, text, NULL, rc, err) : 0;
	case OPT_STRING:
		return 0;
	case OPT_ENUM:
		return check_choice(d, name, text, err);
	case OPT_LIST:
		return parse_list(d, name, text, v, err);
	case OPT_FILE:
		return is_default ? 0 : check_file(d, name, text, err);
	}
	return -EINVAL;
}

/* What is remembered of a text that fits: words that mean the same become one. */
static char *kept_text(const struct opt_desc *d, const char *text, const struct opt_value *v)
{
	const char *choice;

	if (d->type == OPT_BOOL)
		return strdup(v->on ? "on" : "off");
	if (d->type != OPT_ENUM)
		return strdup(text);
	choice = find_choice(d, text);
	return strndup(choice, strcspn(choice, "|"));
}

int opt_value_parse(const struct opt_desc *d, const char *name, const char *text, bool is_default,
                    struct opt_value *v, struct err *err)
{
	int rc;

	*v = (struct opt_value){0};
	if (text == NULL)
		return 0;
	rc = parse_typed(d, name, text, is_default, v, err);
	if (rc == 0) {
		v->text = kept_text(d, text, v);
		rc = v->text != NULL ? 0 : -ENOMEM;
	}
	if (rc != 0)
		opt_value_fini(v, (d->flags & OPT_SECRET) != 0);
	return rc;
}

int opt_value_append(struct opt_value *v, struct opt_value *more)
{
	struct strbuf sb = STRBUF_INIT;
	char **items = realloc(v->items, (v->n_items + more->n_items + 1) * sizeof(*items));
	char *text;

	if (items == NULL)
		return -ENOMEM;
	v->items = items;
	strbuf_addf(&sb, "%s%s%s", v->text, v->n_items != 0 ? "," : "", more->text);
	text = strbuf_take(&sb);
	if (text == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < more->n_items; i++)
		items[v->n_items++] = more->items[i];
	more->n_items = 0;
	explicit_bzero(v->text, strlen(v->text));
	free(v->text);
	v->text = text;
	return 0;
}

static void free_text(char *text, bool secret)
{
	if (secret && text != NULL)
		explicit_bzero(text, strlen(text));
	free(text);
}

void opt_value_fini(struct opt_value *v, bool secret)
{
	free_text(v->text, secret);
	for (unsigned i = 0; i < v->n_items; i++)
		free_text(v->items[i], secret);
	free(v->items);
	*v = (struct opt_value){0};
}

int opt_split(const char *text, int (*fn)(void *ctx, const char *item), void *ctx)
{
	struct strbuf item = STRBUF_INIT;
	int rc = 0;

	while (*text != '\0' && rc == 0) {
		size_t len = strcspn(text, ",");
		bool last = text[len] == '\0';
		const char *next = text + len + 1;

		while (len > 0 && (*text == ' ' || *text == '\t')) {
			text++;
			len--;
		}
		while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
			len--;
		strbuf_reset(&item);
		strbuf_add(&item, text, len);
		rc = item.failed ? -ENOMEM : fn(ctx, strbuf_str(&item));
		if (last)
			break;
		text = next;
		if (*text == '\0' && rc == 0)
			rc = fn(ctx, ""); /* behind the last comma */
	}
	strbuf_fini(&item);
	return rc;
}
