/* SPDX-License-Identifier: MIT */
/* rowbuf: rows copied into one growing block, for drivers whose library does not hold results. Kept
 * by its result and reused. */
#ifndef IOLTP_SQL_ROWBUF_H
#define IOLTP_SQL_ROWBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/sql_types.h"

struct rowbuf; /* opaque */

struct rowbuf *rowbuf_new(void);
void rowbuf_free(struct rowbuf *rb);
/* Forgets the rows and keeps the memory. */
void rowbuf_reset(struct rowbuf *rb, unsigned nfields);
/* Appends the next field of the current row; text NULL is SQL NULL. 0 or -ENOMEM. */
int rowbuf_add(struct rowbuf *rb, const char *text, size_t len);
/* Next row into values[nfields], which stay valid until reset; false at the end. */
bool rowbuf_next(struct rowbuf *rb, struct sql_value *values);

#endif
