/* SPDX-License-Identifier: MIT */
/* Configuration files. */
#include "base/opt_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct opt_set *set;
	const char *path;
	unsigned line;
	int (*unknown)(void *ctx, const char *arg);
	void *ctx;
	struct err *err;
};

static char *trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* The end of a quoted value that begins behind the '=' at `equals`, or `equals` when there is none.
 */
static char *skip_quoted(char *equals)
{
	char *value = equals + 1 + strspn(equals + 1, " \t");
	char *end = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;

	/* Without its end it is no quote but a character of the value. */
	return end != NULL ? end : equals;
}

/* Ends the line at a '#' behind a blank, unless that is inside of a quoted value: a password may
 * have a '#'. */
static void cut_comment(char *text)
{
	bool in_name = true;

	for (char *c = text; *c != '\0'; c++) {
		if (*c == '#' && c > text && isspace((unsigned char)c[-1])) {
			*c = '\0';
			return;
		}
		if (*c == '=' && in_name) {
			in_name = false;
			c = skip_quoted(c);
		}
	}
}

/* Takes the quotes off a value that is wholly inside of a pair. */
static char *unquote(char *value)
{
	size_t len = strlen(value);

	if (len < 2 || (*value != '"' && *value != '\'') || value[len - 1] != *value)
		return value;
	value[len - 1] = '\0';
	return value + 1;
}

/* Errors of a line get its place in front. They never repeat the value, which may be a password of
 * an unknown name. */
static int fail_line(const struct reader *r, const char *what)
{
	return err_usage(r->err, "%s:%u: %s", r->path, r->line, what);
}

static int give_unknown(const struct reader *r, const char *arg)
{
	struct err why = ERR_INIT;
	int rc;

	if (r->unknown == NULL) {
		opt_unknown(r->set, arg, &why);
		return fail_line(r, why.text);
	}
	rc = r->unknown(r->ctx, arg);
	if (rc != 0)
		fail_line(r, "this option is not accepted here");
	return rc;
}

/* `name` and `value` (NULL: none) of one line. */
static int take_option(const struct reader *r, const char *name, const char *value)
{
	struct strbuf arg = STRBUF_INIT;
	struct err why = ERR_INIT;
	int rc;

	strbuf_addf(&arg, "--%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
	if (arg.failed)
		rc = -ENOMEM;
	else
		rc = opt_parse_arg(r->set, strbuf_str(&arg), &why);
	if (rc == -ENOENT)
		rc = give_unknown(r, strbuf_str(&arg));
	else if (rc != 0)
		fail_line(r, err_is_set(&why) ? why.text : "out of memory");
	strbuf_fini(&arg);
	return rc;
}

static int take_line(const struct reader *r, char *text)
{
	char *name, *equals, *value = NULL;

	text = trim(text);
	if (*text == '\0' || *text == '#' || *text == ';' || *text == '[')
		return 0;
	cut_comment(text);
	equals = strchr(text, '=');
	if (equals != NULL) {
		*equals = '\0';
		value = unquote(trim(equals + 1));
	}
	name = trim(text);
	if (strncmp(name, "--", 2) == 0)
		name += 2;
	if (*name == '\0')
		return fail_line(r, "no option name; write name=value");
	if (name[strcspn(name, " \t")] != '\0')
		return fail_line(r, "a blank inside of an option name; write name=value");
	return take_option(r, name, value);
}

static int read_lines(struct reader *r, FILE *file)
{
	static const char bom[] = "\xef\xbb\xbf";
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int rc = 0;

	errno = 0;
	while (rc == 0 && (len = getline(&line, &room, file)) >= 0) {
		size_t skip = r->line++ == 0 && strncmp(line, bom, 3) == 0 ? 3 : 0;

		if (strlen(line) != (size_t)len)
			rc = fail_line(r, "a NUL byte; this is not a text file");
		else
			rc = take_line(r, line + skip);
		errno = 0;
	}
	if (rc == 0 && !feof(file))
		rc = err_usage(r->err, "%s:%u: cannot read on: %s", r->path, r->line + 1,
		               strerror(errno != 0 ? errno : EIO));
	if (line != NULL)
		explicit_bzero(line, room);
	free(line);
	return rc;
}

int opt_load_file(struct opt_set *set, const char *path, int (*unknown)(void *ctx, const char *arg),
                  void *ctx, struct err *err)
{
	struct reader r = {.set = set, .path = path, .unknown = unknown, .ctx = ctx, .err = err};
	unsigned outer = set->source;
	FILE *file = fopen(path, "re");
	int rc;

	if (file == NULL)
		return err_usage(err, "%s: cannot open this option file: %s", path,
		                 strerror(errno));
	set->source = ++set->n_files;
	rc = read_lines(&r, file);
	set->source = outer;
	fclose(file);
	return rc;
}
