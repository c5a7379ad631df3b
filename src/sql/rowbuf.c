/* SPDX-License-Identifier: MIT */
#include "sql/rowbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * One block of fields, each a header and its bytes with a NUL, padded to the header's alignment.
 * Offsets instead of pointers, because the block moves when it grows.
 */
struct field {
	size_t len; /* FIELD_NULL: SQL NULL, no bytes follow */
};

#define FIELD_NULL ((size_t)-1)

struct rowbuf {
	char *block;
	size_t used, room; /* bytes */
	size_t read;       /* offset of the next field to hand out */
	unsigned nfields;
};

struct rowbuf *rowbuf_new(void)
{
	return calloc(1, sizeof(struct rowbuf));
}

void rowbuf_free(struct rowbuf *rb)
{
	if (rb == NULL)
		return;
	free(rb->block);
	free(rb);
}

void rowbuf_reset(struct rowbuf *rb, unsigned nfields)
{
	rb->used = 0;
	rb->read = 0;
	rb->nfields = nfields;
}

static int grow(struct rowbuf *rb, size_t need)
{
	size_t room = rb->room != 0 ? rb->room : 1024;
	char *block;

	while (room < need)
		room *= 2;
	block = realloc(rb->block, room);
	if (block == NULL)
		return -ENOMEM;
	rb->block = block;
	rb->room = room;
	return 0;
}

static size_t field_size(size_t len)
{
	const size_t align = sizeof(struct field) - 1;

	return len == FIELD_NULL ? sizeof(struct field)
	                         : (sizeof(struct field) + len + 1 + align) & ~align;
}

int rowbuf_add(struct rowbuf *rb, const char *text, size_t len)
{
	const size_t kept_len = text == NULL ? FIELD_NULL : len;
	const size_t size = field_size(kept_len);
	struct field *field;

	if (rb->used + size > rb->room) {
		const int rc = grow(rb, rb->used + size);

		if (rc != 0)
			return rc;
	}
	field = (struct field *)(void *)(rb->block + rb->used);
	field->len = kept_len;
	if (text != NULL) {
		char *bytes = (char *)(field + 1);

		memcpy(bytes, text, len);
		bytes[len] = '\0';
	}
	rb->used += size;
	return 0;
}

bool rowbuf_next(struct rowbuf *rb, struct sql_value *values)
{
	if (rb->read >= rb->used || rb->nfields == 0)
		return false;
	for (unsigned i = 0; i < rb->nfields; i++) {
		const struct field *field = (const void *)(rb->block + rb->read);

		if (rb->read >= rb->used) { /* a row that was left unfinished */
			values[i] = (struct sql_value){0};
			continue;
		}
		values[i].text = field->len == FIELD_NULL ? NULL : (const char *)(field + 1);
		values[i].len = field->len == FIELD_NULL ? 0 : field->len;
		rb->read += field_size(field->len);
	}
	return true;
}
