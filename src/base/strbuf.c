/* SPDX-License-Identifier: MIT */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strbuf_fini(struct strbuf *sb)
{
	free(sb->text);
	*sb = STRBUF_INIT;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	sb->failed = false;
	if (sb->text != NULL)
		sb->text[0] = '\0';
}

static bool reserve(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;
	size_t room = sb->room != 0 ? sb->room : 64;
	char *text;

	if (sb->failed)
		return false;
	if (need <= sb->room)
		return true;
	while (room < need)
		room *= 2;
	text = realloc(sb->text, room);
	if (text == NULL) {
		sb->failed = true;
		return false;
	}
	sb->text = text;
	sb->room = room;
	return true;
}

void strbuf_add(struct strbuf *sb, const void *bytes, size_t len)
{
	if (!reserve(sb, len))
		return;
	if (len != 0)
		memcpy(sb->text + sb->len, bytes, len);
	sb->len += len;
	sb->text[sb->len] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text));
}

void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(sb, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(sb->text + sb->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	sb->len += (size_t)n;
}

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->text != NULL ? sb->text : "";
}

char *strbuf_take(struct strbuf *sb)
{
	char *text;

	strbuf_add(sb, "", 0);
	text = sb->failed ? NULL : sb->text;
	if (text == NULL)
		free(sb->text);
	*sb = STRBUF_INIT;
	return text;
}
