/* SPDX-License-Identifier: MIT */
/* What the user is told about options: help, manual page, the nearest name to a mistyped one. */
#include "base/opt_priv.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/near.h"
#include "base/units.h"

#define HELP_WIDTH  80 /* columns */
#define TEXT_COLUMN 30 /* where descriptions begin */

/* A blank at which no line is broken. */
#define GLUE     '\037'
#define GLUE_STR "\037"

static const char older_title[] = "Older names, kept for existing commands";

static const char legend[] = "SIZE takes K, M, G, T or P (1024-based). TIME takes ns, us, ms, s, m "
                             "or h, and a bare number is seconds. "
                             "In names, '-' and '_' are the same; --no-NAME is --NAME=off.";

/* ---- what is said about one option, in help and manual alike ---- */

static const char *value_word(enum opt_type type)
{
	static const char *const words[] = {
	    [OPT_BOOL] = "on|off", [OPT_INT] = "INT",       [OPT_SIZE] = "SIZE",
	    [OPT_TIME] = "TIME",   [OPT_DOUBLE] = "NUMBER", [OPT_STRING] = "TEXT",
	    [OPT_ENUM] = "CHOICE", [OPT_LIST] = "LIST",     [OPT_FILE] = "FILE",
	};

	return words[type];
}

static void add_default(const struct opt_desc *d, struct strbuf *out)
{
	const char *def = d->def;

	if (def == NULL)
		def = d->type == OPT_BOOL ? "off" : "none";
	else if ((d->flags & OPT_SECRET) != 0)
		def = "***";
	else if (*def == '\0')
		def = "empty";
	else if (d->type == OPT_BOOL)
		def = units_parse_bool(def) == 1 ? "on" : "off";
	strbuf_addf(out, "default" GLUE_STR "%s", def);
}

static void add_numeric(const struct opt_desc *d, struct strbuf *out)
{
	const char *unit = d->unit;
	size_t from;

	if (unit == NULL && d->type == OPT_SIZE)
		unit = "bytes";
	if (unit == NULL && d->type == OPT_TIME)
		unit = "seconds";
	if (unit != NULL)
		strbuf_addf(out, "%s; ", unit);
	from = out->len;
	strbuf_adds(out, d->type == OPT_LIST ? "each " : "range ");
	opt_add_range(d, out);
	for (size_t i = from; i < out->len; i++) {
		if (out->text[i] == ' ')
			out->text[i] = GLUE;
	}
	strbuf_adds(out, d->range == NULL ? "any; " : "; ");
}

/* Appends "[unit; range; default]". */
static void add_facts(const struct opt_desc *d, struct strbuf *out)
{
	strbuf_addc(out, '[');
	switch (d->type) {
	case OPT_INT:
	case OPT_SIZE:
	case OPT_TIME:
	case OPT_DOUBLE:
		add_numeric(d, out);
		break;
	case OPT_ENUM:
		strbuf_adds(out, "one of ");
		opt_add_choices(d, out);
		strbuf_adds(out, "; ");
		break;
	case OPT_LIST:
		strbuf_adds(out, (d->flags & OPT_REPEAT) != 0 ? "may be repeated; "
		                                              : "comma-separated; ");
		if (d->range != NULL)
			add_numeric(d, out);
		else if (d->unit != NULL)
			strbuf_addf(out, "%s; ", d->unit);
		break;
	default:
		if (d->unit != NULL)
			strbuf_addf(out, "%s; ", d->unit);
		break;
	}
	add_default(d, out);
	strbuf_addc(out, ']');
}

static void add_description(const struct opt_entry *e, struct strbuf *out)
{
	const struct opt_desc *d = &e->desc;

	if (d->alias_of != NULL) {
		strbuf_addf(out, "same as --%s", d->alias_of);
		return;
	}
	if (d->help != NULL && *d->help != '\0')
		strbuf_addf(out, "%s ", d->help);
	add_facts(d, out);
}

/* ---- the order in which options are shown ---- */

struct page {
	FILE *out;
	bool begun; /* a section was written */
	void (*section)(FILE *out, const char *title, bool first);
	void (*item)(FILE *out, const struct opt_entry *e, const char *description);
};

/* Shows entries of one title (NULL: of all); the heading comes with the first, so that empty
 * sections have none. */
static void show_section(const struct opt_set *set, struct page *page, const char *heading,
                         const char *title, bool old)
{
	bool headed = false;

	for (unsigned i = 0; i < set->n; i++) {
		const struct opt_entry *e = set->entries[i];
		struct strbuf description = STRBUF_INIT;

		if (((e->desc.flags & OPT_OLD) != 0) != old)
			continue;
		if (title != NULL && strcmp(title, e->title) != 0)
			continue;
		if (!headed)
			page->section(page->out, heading, !page->begun);
		headed = page->begun = true;
		add_description(e, &description);
		page->item(page->out, e, strbuf_str(&description));
		strbuf_fini(&description);
	}
}

static bool is_first_of_title(const struct opt_set *set, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (strcmp(set->entries[k]->title, set->entries[i]->title) == 0)
			return false;
	}
	return true;
}

static void show(const struct opt_set *set, struct page *page, const char *title)
{
	for (unsigned i = 0; i < set->n; i++) {
		const char *own = set->entries[i]->title;

		if (is_first_of_title(set, i) && (title == NULL || strcmp(title, own) == 0))
			show_section(set, page, own, own, false);
	}
	show_section(set, page, older_title, title, true);
}

/* ---- help on a terminal ---- */

/* Columns that UTF-8 text takes, for the characters of European languages. */
static unsigned columns(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Writes words from `column` on, lines beginning at `indent`, and ends the last line. */
static void wrap(FILE *out, const char *text, unsigned column, unsigned indent)
{
	bool begun = false;

	for (;;) {
		size_t len;
		unsigned width;

		text += strspn(text, " \t\r\n");
		len = strcspn(text, " \t\r\n");
		width = columns(text, len);
		if (len == 0)
			break;
		if (begun && column + 1 + width > HELP_WIDTH) {
			fputc('\n', out);
			column = 0;
			begun = false;
		}
		if (begun)
			column += (unsigned)fprintf(out, " ");
		for (; !begun && column < indent; column++)
			fputc(' ', out);
		for (size_t i = 0; i < len; i++)
			fputc(text[i] == GLUE ? ' ' : text[i], out);
		column += width;
		text += len;
		begun = true;
	}
	fputc('\n', out);
}

static void help_section(FILE *out, const char *title, bool first)
{
	fprintf(out, "%s%s:\n", first ? "" : "\n", title);
}

static void help_item(FILE *out, const struct opt_entry *e, const char *description)
{
	bool on_off = opt_is_switch(&e->desc);
	int n = fprintf(out, "  --%s%s%s%s", opt_shown(e->desc.name), on_off ? "[=" : "=",
	                value_word(e->desc.type), on_off ? "]" : "");
	unsigned column = n > 0 ? (unsigned)n : 0;

	if (column + 2 > TEXT_COLUMN) {
		fputc('\n', out);
		column = 0;
	}
	wrap(out, description, column, TEXT_COLUMN);
}

void opt_print_help(const struct opt_set *set, const char *title, FILE *out)
{
	struct page page = {.out = out, .section = help_section, .item = help_item};

	show(set, &page, title);
	if (title == NULL && set->n != 0) {
		fputc('\n', out);
		wrap(out, legend, 0, 0);
	}
}

/* ---- manual page ---- */

/* Decodes one character of UTF-8 and returns its length; a byte that is none is taken as Latin-1.
 */
static size_t decode(const char *text, unsigned *code)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t len = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc2 ? 2 : 1;

	*code = len == 1 ? *c : *c & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((c[i] & 0xc0) != 0x80) {
			*code = *c;
			return 1;
		}
		*code = *code << 6 | (c[i] & 0x3fu);
	}
	return len;
}

/* Text as roff prints it; `dash` is what a '-' becomes. */
static void roff_text(FILE *out, const char *text, const char *dash)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
	    {'\\', "\\e"},  {'\'', "\\(aq"}, {'`', "\\(ga"}, {'"', "\\(dq"}, {'^', "\\(ha"},
	    {'~', "\\(ti"}, {'\t', " "},     {'\n', " "},    {GLUE, "\\ "},  {'\r', " "},
	};

	while (*text != '\0') {
		unsigned code;
		size_t len = decode(text, &code);
		const char *roff = *text == '-' ? dash : NULL;

		for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
			roff = *text == special[i].c ? special[i].roff : roff;
		if (roff != NULL)
			fputs(roff, out);
		else if (code >= 0x80)
			fprintf(out, "\\[u%04X]", code);
		else if (isprint((int)code))
			fputc((int)code, out);
		text += len;
	}
}

/* Running text with the names of options in it: "--x-y" keeps its dashes, "read-write" may be
 * hyphenated. */
static void roff_prose(FILE *out, const char *text)
{
	fputs("\\&", out); /* a '.' at the beginning is no request */
	for (;;) {
		size_t blanks = strspn(text, " \t\r\n");
		size_t len = strcspn(text + blanks, " \t\r\n");
		struct strbuf word = STRBUF_INIT;

		if (len == 0)
			break;
		if (blanks != 0)
			fputc(' ', out);
		strbuf_add(&word, text + blanks, len);
		roff_text(out, strbuf_str(&word),
		          isalpha((unsigned char)*strbuf_str(&word)) ? "-" : "\\-");
		strbuf_fini(&word);
		text += blanks + len;
	}
	fputc('\n', out);
}

static void man_section(FILE *out, const char *title, bool first)
{
	(void)first;
	fputs(".SS \"", out);
	roff_text(out, title, "-");
	fputs("\"\n", out);
}

static void man_item(FILE *out, const struct opt_entry *e, const char *description)
{
	fputs(".TP\n\\fB\\-\\-", out);
	roff_text(out, opt_shown(e->desc.name), "\\-");
	if (e->desc.type == OPT_BOOL)
		fputs("\\fR[=\\fIon\\fR|\\fIoff\\fR]\n", out);
	else if (opt_is_switch(&e->desc))
		fprintf(out, "\\fR[=\\fI%s\\fR]\n", value_word(e->desc.type));
	else
		fprintf(out, "\\fR=\\fI%s\\fR\n", value_word(e->desc.type));
	roff_prose(out, description);
}

void opt_print_man(const struct opt_set *set, FILE *out)
{
	struct page page = {.out = out, .section = man_section, .item = man_item};

	show(set, &page, NULL);
	if (set->n != 0) {
		fputs(".PP\n", out);
		roff_prose(out, legend);
	}
}

/* ---- mistyped names ---- */

/* The known name nearest to a mistyped one, and how many steps away it is; NULL: none is near. */
static const char *nearest(const struct opt_set *set, const char *name, size_t len,
                           unsigned *steps_away)
{
	const struct opt_entry *best = NULL;
	unsigned least = near_limit(len);

	if (len > NEAR_NAME_LEN)
		return NULL;
	for (unsigned i = 0; i < set->n; i++) {
		const struct opt_entry *e = set->entries[i];
		size_t e_len = strlen(e->desc.name);
		unsigned steps;

		if (e_len > NEAR_NAME_LEN)
			continue;
		steps = near_distance(name, len, e->desc.name, e_len);
		/* All letters changed is not near; and of two as near, the one that is not old. */
		if (steps >= e_len || steps > least)
			continue;
		if (best == NULL || steps < least ||
		    (best->desc.flags & ~e->desc.flags & OPT_OLD) != 0)
			best = e;
		least = steps;
	}
	*steps_away = least;
	return best != NULL ? best->desc.name : NULL;
}

/* As nearest for a name behind "no-"; it wins only when it is nearer than `other` steps. */
static const char *nearest_negated(const struct opt_set *set, const char *name, size_t len,
                                   unsigned other)
{
	unsigned steps;
	const char *near;

	if (len < 3 || (!opt_name_is("no-", name, 3)))
		return NULL;
	near = nearest(set, name + 3, len - 3, &steps);
	return near != NULL && steps < other ? near : NULL;
}

int opt_unknown(const struct opt_set *set, const char *arg, struct err *err)
{
	size_t dashes = strspn(arg, "-");
	const char *name = arg + dashes;
	size_t len = strcspn(name, "=");
	unsigned steps;
	const char *near = nearest(set, name, len, &steps);
	const char *negated = nearest_negated(set, name, len, near != NULL ? steps : NEAR_NAME_LEN);
	const char *no = negated != NULL && opt_is_switch(opt_find(set, negated)) ? "no-" : "";
	struct strbuf shown = STRBUF_INIT;

	if (negated != NULL)
		near = negated;
	/* Never the value, which may be a password; nor what is glued to a single letter, as in
	 * -pPASSWORD. */
	opt_add_visible(&shown, arg, dashes == 1 && near == NULL && len > 1 ? 2 : dashes + len);
	if (near != NULL)
		err_usage(err, "%s: unknown option; did you mean --%s%s?", strbuf_str(&shown), no,
		          near);
	else
		err_usage(err, "%s: unknown option; see --help", strbuf_str(&shown));
	strbuf_fini(&shown);
	return -EINVAL;
}
