/* SPDX-License-Identifier: MIT */
/*
 * strbuf: a growing string. Running out of memory is remembered, not reported at each call: check
 * `failed` once, before the text is used.
 */
#ifndef IOLTP_BASE_STRBUF_H
#define IOLTP_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *text;  /* always NUL-terminated once anything was added; owned; NULL when empty */
	size_t len;  /* bytes, without the NUL */
	size_t room; /* bytes allocated */
	bool failed; /* memory ran out: text is what fitted before */
};

#define STRBUF_INIT ((struct strbuf){0})

void strbuf_fini(struct strbuf *sb);
/* Empties it and keeps the memory. */
void strbuf_reset(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const void *bytes, size_t len);
void strbuf_adds(struct strbuf *sb, const char *text);
void strbuf_addc(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The text, "" when empty. Valid until the next change. */
const char *strbuf_str(const struct strbuf *sb);
/* Hands the text (heap, "" when empty) to the caller and empties the buffer; NULL when memory ran
 * out. */
char *strbuf_take(struct strbuf *sb);

#endif
