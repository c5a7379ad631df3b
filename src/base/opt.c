/* SPDX-License-Identifier: MIT */
#include "base/opt_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void opt_bug(const char *name, const char *what)
{
	fprintf(stderr, "ioltp: bug: option \"%s\" %s\n", name != NULL ? name : "", what);
	abort();
}

static int no_memory(struct err *err)
{
	err_run(err, "options: out of memory");
	return -ENOMEM;
}

/* ---- names ---- */

bool opt_name_is(const char *canonical, const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = name[i] == '_' ? '-' : name[i];

		if (canonical[i] != c)
			return false;
	}
	return canonical[len] == '\0';
}

struct opt_entry *opt_entry_find(const struct opt_set *set, const char *name, size_t len)
{
	for (unsigned i = 0; i < set->n; i++) {
		if (opt_name_is(set->entries[i]->desc.name, name, len))
			return set->entries[i];
	}
	return NULL;
}

struct opt_entry *opt_entry_resolve(const struct opt_set *set, struct opt_entry *e)
{
	const char *target = e != NULL ? e->desc.alias_of : NULL;
	struct opt_entry *found;

	if (target == NULL)
		return e;
	found = opt_entry_find(set, target, strlen(target));
	if (found == NULL || found->desc.alias_of != NULL || found->desc.type != e->desc.type)
		opt_bug(e->desc.name, "is an alias of nothing of its type");
	return found;
}

/* No option can be called so. */
#define SHADOW_MARK ':'

const char *opt_shown(const char *name)
{
	return name[0] == SHADOW_MARK ? name + 1 : name;
}

/* What a script has declared under a name of ours; NULL: nothing. */
static struct opt_entry *shadow_of(const struct opt_set *set, const char *name, size_t len)
{
	for (unsigned i = 0; i < set->n; i++) {
		const char *shadow = set->entries[i]->desc.name;

		if (shadow[0] == SHADOW_MARK && opt_name_is(shadow + 1, name, len))
			return set->entries[i];
	}
	return NULL;
}

/* The entry that the user means. */
static struct opt_entry *typed_entry(const struct opt_set *set, const char *name, size_t len)
{
	static const char own[] = "ioltp-";
	const size_t skip = sizeof(own) - 1;
	struct opt_entry *e = shadow_of(set, name, len);

	if (e == NULL)
		e = opt_entry_find(set, name, len);
	if (e == NULL && len > skip && opt_name_is(own, name, skip) &&
	    shadow_of(set, name + skip, len - skip) != NULL)
		e = opt_entry_find(set, name + skip, len - skip);
	return e;
}

const char *opt_meant(const struct opt_set *set, const char *name)
{
	const struct opt_entry *e = typed_entry(set, name, strlen(name));

	return e != NULL ? e->desc.name : name;
}

static struct opt_entry *find(const struct opt_set *set, const char *name)
{
	return opt_entry_resolve(set, opt_entry_find(set, name, strlen(name)));
}

const struct opt_desc *opt_find(const struct opt_set *set, const char *name)
{
	const struct opt_entry *e = find(set, name);

	return e != NULL ? &e->desc : NULL;
}

/* Letters, digits, '-', '_' and '.', beginning with a letter or digit. */
static bool is_good_name(const char *name)
{
	if (name == NULL || !isalnum((unsigned char)*name))
		return false;
	for (; *name != '\0'; name++) {
		if (!isalnum((unsigned char)*name) && strchr("-_.", *name) == NULL)
			return false;
	}
	return true;
}

/* ---- the set ---- */

struct opt_set *opt_set_new(void)
{
	return calloc(1, sizeof(struct opt_set));
}

static bool is_secret(const struct opt_entry *e)
{
	return (e->desc.flags & OPT_SECRET) != 0;
}

/* Frees what an entry owns, not the entry. */
static void entry_fini(struct opt_entry *e)
{
	opt_value_fini(&e->value, is_secret(e));
	for (unsigned i = 0; i < OPT_OWN_COUNT; i++)
		free(e->own[i]);
}

void opt_set_free(struct opt_set *set)
{
	if (set == NULL)
		return;
	for (unsigned i = 0; i < set->n; i++) {
		entry_fini(set->entries[i]);
		free(set->entries[i]);
	}
	free(set->entries);
	free(set);
}

/* Puts a copy of `e` at the end; what it owns then belongs to the set. 0 or -ENOMEM. */
static int append_entry(struct opt_set *set, const struct opt_entry *e)
{
	struct opt_entry *copy = malloc(sizeof(*copy));

	if (copy == NULL)
		return -ENOMEM;
	if (set->n == set->room) {
		unsigned room = set->room != 0 ? 2 * set->room : 64;
		struct opt_entry **entries =
		    realloc(set->entries, room * sizeof(struct opt_entry *));

		if (entries == NULL) {
			free(copy);
			return -ENOMEM;
		}
		set->entries = entries;
		set->room = room;
	}
	*copy = *e;
	set->entries[set->n++] = copy;
	return 0;
}

void opt_set_add(struct opt_set *set, const char *title, const struct opt_desc *table)
{
	for (const struct opt_desc *d = table; d->name != NULL; d++) {
		struct opt_entry e = {.desc = *d, .title = title};
		struct err err = ERR_INIT;

		if (!is_good_name(d->name) || strchr(d->name, '_') != NULL)
			opt_bug(d->name, "has a malformed name");
		if (opt_entry_find(set, d->name, strlen(d->name)) != NULL)
			opt_bug(d->name, "is there twice");
		if (d->alias_of == NULL && opt_desc_check(d) != 0)
			opt_bug(d->name, "has a malformed range or choices");
		if (d->alias_of == NULL &&
		    opt_value_parse(d, d->name, d->def, true, &e.value, &err) != 0)
			opt_bug(d->name, err.text);
		if (append_entry(set, &e) != 0)
			opt_bug(d->name, "found no memory");
	}
}

/* ---- options of scripts ---- */

/* Makes *text point to a copy that e->own[which] owns. */
static int own_text(struct opt_entry *e, enum opt_own which, const char **text)
{
	if (*text == NULL)
		return 0;
	e->own[which] = strdup(*text);
	*text = e->own[which];
	return *text != NULL ? 0 : -ENOMEM;
}

static int own_all(struct opt_entry *e)
{
	struct opt_desc *d = &e->desc;
	int rc = own_text(e, OPT_OWN_NAME, &d->name);

	rc = rc != 0 ? rc : own_text(e, OPT_OWN_DEF, &d->def);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_RANGE, &d->range);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_CHOICES, &d->choices);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_UNIT, &d->unit);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_HELP, &d->help);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_ALIAS, &d->alias_of);
	rc = rc != 0 ? rc : own_text(e, OPT_OWN_TITLE, &e->title);
	for (char *c = e->own[OPT_OWN_NAME]; rc == 0 && *c != '\0'; c++) {
		if (*c == '_')
			*c = '-';
	}
	return rc;
}

static int check_declared(const struct opt_set *set, const struct opt_desc *d, struct err *err)
{
	const struct opt_entry *target;

	if (!is_good_name(d->name))
		return err_usage(err, "option \"%s\": not a name; use letters, digits, '-' and '_'",
		                 d->name != NULL ? d->name : "");
	if (d->alias_of == NULL && opt_desc_check(d) != 0)
		return err_usage(
		    err, "--%s: its declaration has a malformed type, range or choices", d->name);
	if (d->alias_of == NULL)
		return 0;
	target = opt_entry_find(set, d->alias_of, strlen(d->alias_of));
	if (target == NULL || target->desc.alias_of != NULL || target->desc.type != d->type)
		return err_usage(
		    err, "--%s: declared as another name of --%s, which is no option of its type",
		    d->name, d->alias_of);
	return 0;
}

/* Parses the default into e->value. */
static int parse_default(struct opt_entry *e, struct err *err)
{
	struct err why = ERR_INIT;
	int rc =
	    opt_value_parse(&e->desc, opt_shown(e->desc.name), e->desc.def, true, &e->value, &why);

	if (rc == -EINVAL)
		err_usage(err, "default %s", why.text);
	return rc;
}

/* Whether the value that the user gave before still fits: a script may have narrowed the range. */
static int recheck_given(const struct opt_entry *old, const struct opt_desc *d, struct err *err)
{
	bool whole = (d->flags & OPT_REPEAT) == 0;
	unsigned n = whole ? 1 : old->value.n_items;
	int rc = 0;

	for (unsigned i = 0; i < n && rc == 0 && old->given; i++) {
		const char *text = whole ? old->value.text : old->value.items[i];
		struct opt_value v;

		rc = opt_value_parse(d, d->name, text, false, &v, err);
		opt_value_fini(&v, is_secret(old));
	}
	return rc;
}

static bool is_same_type(const struct opt_desc *a, const struct opt_desc *b)
{
	return a->type == b->type && ((a->flags ^ b->flags) & OPT_REPEAT) == 0;
}

static int other_type(const struct opt_entry *e, const struct opt_desc *desc, struct err *err)
{
	if (e->desc.type == desc->type)
		err_usage(err,
		          "--%s: declared again, once to be repeated and once not; make both alike",
		          opt_shown(e->desc.name));
	else
		err_usage(
		    err,
		    "--%s: declared as %s, but it is %s already; give it that type or another name",
		    opt_shown(e->desc.name),
		    (unsigned)desc->type <= OPT_FILE ? opt_type_words(desc->type) : "?",
		    opt_type_words(e->desc.type));
	return -EEXIST;
}

/* Another name that is there already must be one of the same option. */
static int redeclare_alias(const struct opt_set *set, const struct opt_entry *target,
                           const struct opt_desc *desc, struct err *err)
{
	if (find(set, desc->alias_of) == target &&
	    !opt_name_is(target->desc.name, desc->name, strlen(desc->name)))
		return 0;
	err_usage(
	    err, "--%s: declared as another name of --%s, but exists already; give it another name",
	    desc->name, desc->alias_of);
	return -EEXIST;
}

static int redeclare(struct opt_set *set, struct opt_entry *e, const struct opt_desc *desc,
                     struct err *err)
{
	struct opt_entry fresh = {.desc = e->desc, .title = e->title, .declared = e->declared};
	int rc;

	if (!is_same_type(&e->desc, desc))
		return (desc->flags & OPT_YIELDS) != 0 && !e->declared ? 0
		                                                       : other_type(e, desc, err);
	if (e->declared) {
		fresh.desc = *desc;
		fresh.desc.name = e->desc.name;
		fresh.desc.flags |= e->desc.flags & OPT_SECRET;
		rc = check_declared(set, desc, err);
		rc = rc != 0 ? rc : own_all(&fresh);
	} else {
		fresh.desc.def = desc->def;
		rc = own_text(&fresh, OPT_OWN_DEF, &fresh.desc.def);
	}
	rc = rc != 0 ? rc : parse_default(&fresh, err);
	rc = rc != 0 ? rc : recheck_given(e, &fresh.desc, err);
	if (rc != 0) {
		entry_fini(&fresh);
		return rc;
	}
	if (e->given) {
		opt_value_fini(&fresh.value, is_secret(e));
		fresh.value = e->value;
		fresh.given = true;
		fresh.source = e->source;
		e->value = (struct opt_value){0};
	}
	entry_fini(e);
	*e = fresh;
	return 0;
}

/* Adds an entry of its own beside `old`. What the user gave under the name before it was known goes
 * to it. */
static int shadow(struct opt_set *set, const char *title, struct opt_entry *old,
                  const struct opt_desc *desc, struct err *err)
{
	struct opt_entry fresh = {.desc = *desc, .title = title, .declared = true};
	struct opt_entry own = {.desc = old->desc, .title = old->title};
	char name[128];
	int rc = check_declared(set, desc, err);

	snprintf(name, sizeof(name), "%c%s", SHADOW_MARK, old->desc.name);
	fresh.desc.name = name;
	rc = rc != 0 ? rc : own_all(&fresh);
	rc = rc != 0 ? rc : parse_default(&fresh, err);
	if (rc == 0 && old->given) {
		opt_value_fini(&fresh.value, false);
		rc = opt_value_parse(desc, desc->name, old->value.text, false, &fresh.value, err);
		fresh.given = true;
		fresh.source = old->source;
	}
	if (rc == 0 && old->given)
		rc = parse_default(&own, err);
	rc = rc != 0 ? rc : append_entry(set, &fresh);
	if (rc != 0) {
		entry_fini(&fresh);
		return rc;
	}
	if (old->given) {
		entry_fini(old);
		*old = own;
	}
	return 0;
}

/* The entry that this name was declared for before, or else the program's. */
static struct opt_entry *declared_entry(const struct opt_set *set, const char *name)
{
	return opt_entry_resolve(set, typed_entry(set, name, strlen(name)));
}

int opt_set_declare(struct opt_set *set, const char *title, const struct opt_desc *desc,
                    struct err *err)
{
	struct opt_entry fresh = {.desc = *desc, .title = title, .declared = true};
	struct opt_entry *old = desc->name != NULL ? declared_entry(set, desc->name) : NULL;
	int rc;

	if (old != NULL && desc->alias_of != NULL)
		return redeclare_alias(set, old, desc, err);
	if (old != NULL && !old->declared && (desc->flags & OPT_SHADOWS) != 0) {
		rc = shadow(set, title, old, desc, err);
		return rc == -ENOMEM ? no_memory(err) : rc;
	}
	if (old != NULL) {
		rc = redeclare(set, old, desc, err);
		return rc == -ENOMEM ? no_memory(err) : rc;
	}
	rc = check_declared(set, desc, err);
	rc = rc != 0 ? rc : own_all(&fresh);
	if (rc == 0 && desc->alias_of == NULL)
		rc = parse_default(&fresh, err);
	rc = rc != 0 ? rc : append_entry(set, &fresh);
	if (rc != 0)
		entry_fini(&fresh);
	return rc == -ENOMEM ? no_memory(err) : rc;
}

/* ---- assignment ---- */

static int need_value(const struct opt_desc *d, const char *name, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	if (d->type == OPT_ENUM) {
		strbuf_adds(&sb, "one of ");
		opt_add_choices(d, &sb);
	} else {
		strbuf_adds(&sb, opt_type_words(d->type));
		strbuf_adds(&sb, d->range != NULL ? ", " : "");
		opt_add_range(d, &sb);
		if (d->unit != NULL)
			strbuf_addf(&sb, " (%s)", d->unit);
	}
	err_usage(err, "--%s: needs a value, as in --%s=VALUE; %s", name, name, strbuf_str(&sb));
	strbuf_fini(&sb);
	return -EINVAL;
}

/* `typed`: the entry under the name that the user used. */
static int assign(struct opt_set *set, struct opt_entry *typed, const char *text, struct err *err)
{
	struct opt_entry *e = opt_entry_resolve(set, typed);
	bool settled = e->given && set->source != 0 && set->source != e->source;
	bool adds = (e->desc.flags & OPT_REPEAT) != 0 && e->given && set->source == e->source;
	struct opt_value v;
	int rc;

	if (text == NULL && !opt_is_switch(&e->desc))
		return need_value(&e->desc, opt_shown(typed->desc.name), err);
	rc = opt_value_parse(&e->desc, opt_shown(typed->desc.name), text != NULL ? text : "on",
	                     false, &v, err);
	if (rc != 0)
		return rc == -ENOMEM ? no_memory(err) : rc;
	/* A file does not override what came before it, but what it says must be right all the
	 * same. */
	if (settled) {
		opt_value_fini(&v, is_secret(e));
		return 0;
	}
	if (adds && v.n_items != 0) {
		rc = opt_value_append(&e->value, &v);
		opt_value_fini(&v, is_secret(e));
		return rc != 0 ? no_memory(err) : 0;
	}
	opt_value_fini(&e->value, is_secret(e));
	e->value = v;
	e->given = true;
	e->source = set->source;
	return 0;
}

int opt_assign(struct opt_set *set, const char *name, const char *value, struct err *err)
{
	struct opt_entry *e = opt_entry_find(set, name, strlen(name));

	return e != NULL ? assign(set, e, value, err) : -ENOENT;
}

int opt_parse_arg(struct opt_set *set, const char *arg, struct err *err)
{
	const char *name = arg + 2;
	const char *value;
	struct opt_entry *e;
	size_t len;

	if (strncmp(arg, "--", 2) != 0)
		return -ENOENT;
	len = strcspn(name, "=");
	value = name[len] == '=' ? name + len + 1 : NULL;
	e = typed_entry(set, name, len);
	if (e != NULL)
		return assign(set, e, value, err);
	if (strncmp(name, "no-", 3) != 0 && strncmp(name, "no_", 3) != 0)
		return -ENOENT;
	e = typed_entry(set, name + 3, len - 3);
	if (e == NULL || !opt_is_switch(&e->desc))
		return -ENOENT;
	if (value != NULL)
		return err_usage(err, "--no-%s: takes no value; use --%s=on or --%s=off",
		                 opt_shown(e->desc.name), opt_shown(e->desc.name),
		                 opt_shown(e->desc.name));
	return assign(set, e, "off", err);
}

/* ---- values ---- */

/* `types`: bits (1 << type) that the caller can take. */
static const struct opt_entry *expect(const struct opt_set *set, const char *name, unsigned types)
{
	const struct opt_entry *e = find(set, name);

	if (e == NULL)
		opt_bug(name, "was read but does not exist");
	if ((types & (1u << e->desc.type)) == 0)
		opt_bug(name, "was read as another type than it has");
	return e;
}

bool opt_given(const struct opt_set *set, const char *name)
{
	const struct opt_entry *e = find(set, name);

	return e != NULL && e->given;
}

bool opt_bool(const struct opt_set *set, const char *name)
{
	return expect(set, name, 1u << OPT_BOOL)->value.on;
}

int64_t opt_int(const struct opt_set *set, const char *name)
{
	return (int64_t)expect(set, name, 1u << OPT_INT)->value.number.whole;
}

uint64_t opt_size_bytes(const struct opt_set *set, const char *name)
{
	return (uint64_t)expect(set, name, 1u << OPT_SIZE)->value.number.whole;
}

uint64_t opt_time_ns(const struct opt_set *set, const char *name)
{
	return (uint64_t)expect(set, name, 1u << OPT_TIME)->value.number.whole;
}

double opt_double(const struct opt_set *set, const char *name)
{
	return expect(set, name, 1u << OPT_DOUBLE)->value.number.real;
}

const char *opt_str(const struct opt_set *set, const char *name)
{
	return expect(set, name, 1u << OPT_STRING | 1u << OPT_ENUM | 1u << OPT_FILE)->value.text;
}

unsigned opt_list(const struct opt_set *set, const char *name, const char *const **items)
{
	const struct opt_entry *e = expect(set, name, 1u << OPT_LIST);

	if (items != NULL)
		*items = (const char *const *)e->value.items;
	return e->value.n_items;
}

void opt_each(const struct opt_set *set,
              void (*fn)(void *ctx, const struct opt_desc *desc, const char *value, bool given),
              void *ctx)
{
	for (unsigned i = 0; i < set->n; i++) {
		const struct opt_entry *e = set->entries[i];

		if (e->desc.alias_of == NULL)
			fn(ctx, &e->desc,
			   is_secret(e) && e->value.text != NULL ? "***" : e->value.text, e->given);
	}
}
