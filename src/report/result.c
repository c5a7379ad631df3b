/* SPDX-License-Identifier: MIT */
#include "report/result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

void result_init(struct result *r)
{
	*r = (struct result){.durable = true};
}

void result_fini(struct result *r)
{
	for (unsigned i = 0; i < r->warnings.n; i++)
		free(r->warnings.texts[i]);
	free(r->warnings.texts);
	free(r->command_line);
	for (unsigned i = 0; i < r->ntargets; i++)
		free(r->targets[i]);
	free(r->targets);
	kv_fini(&r->host);
	kv_fini(&r->device);
	kv_fini(&r->database);
	kv_fini(&r->raw);
	kv_fini(&r->counters);
	*r = (struct result){0};
}

void result_warn(struct result *r, const char *fmt, ...)
{
	struct result_warnings *w = &r->warnings;
	char text[1024];
	char **texts;
	char *copy;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (unsigned i = 0; i < w->n; i++) {
		if (strcmp(w->texts[i], text) == 0)
			return;
	}
	copy = strdup(text);
	texts = copy != NULL ? realloc(w->texts, (w->n + 1) * sizeof(*texts)) : NULL;
	if (texts == NULL) {
		/* A warning is worth less than the report that it belongs to. */
		free(copy);
		return;
	}
	w->texts = texts;
	w->texts[w->n++] = copy;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && strncasecmp(name + len - n, end, n) == 0;
}

/* An option of somebody's script may hold a secret without saying so: its name is the only hint. */
static bool looks_secret(const char *name, size_t len)
{
	return ends_with(name, len, "password") || ends_with(name, len, "passwd") ||
	       ends_with(name, len, "secret") || ends_with(name, len, "token");
}

/* Length of the "--name=" that must stay when the value is a secret, else 0. */
static size_t secret_prefix(const char *arg, const struct opt_set *set)
{
	const char *equals = strchr(arg, '=');
	const struct opt_desc *desc = NULL;
	char name[256];
	size_t len;

	if (strncmp(arg, "--", 2) != 0 || equals == NULL)
		return 0;
	len = (size_t)(equals - arg) - 2;
	if (looks_secret(arg + 2, len))
		return len + 3;
	if (set == NULL || len >= sizeof(name))
		return 0;
	memcpy(name, arg + 2, len);
	name[len] = '\0';
	desc = opt_find(set, name);
	return desc != NULL && (desc->flags & OPT_SECRET) != 0 ? len + 3 : 0;
}

/* Adds a word so that a shell reads it back as it was. */
static void add_word(struct strbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "-_=./,:+@%^";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		strbuf_adds(out, word);
		return;
	}
	strbuf_addc(out, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			strbuf_adds(out, "'\\''");
		else
			strbuf_addc(out, *word);
	}
	strbuf_addc(out, '\'');
}

char *result_command_line(int argc, char *const *argv, const struct opt_set *set)
{
	struct strbuf out = STRBUF_INIT;

	for (int i = 0; i < argc; i++) {
		size_t keep = secret_prefix(argv[i], set);

		if (i > 0)
			strbuf_addc(&out, ' ');
		if (keep == 0) {
			add_word(&out, argv[i]);
			continue;
		}
		strbuf_add(&out, argv[i], keep);
		strbuf_adds(&out, "***");
	}
	return strbuf_take(&out);
}
