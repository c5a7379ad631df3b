/* SPDX-License-Identifier: MIT */
/* sql_emulate: what an engine lacks, made of statement text: parameters as literals, bulk rows as
 * multi-row INSERTs. For driver.c. */
#ifndef IOLTP_SQL_EMULATE_H
#define IOLTP_SQL_EMULATE_H

#include "sql/driver.h"

/* stmt's text with its parameters as literals, into conn->scratch (made on demand). 0, or -ENOMEM
 * with conn->error. */
int emulate_text(struct sql_stmt *stmt);

/* The bulk hooks for drivers without CAP_BULK; the outcome is in conn->error. conn must not be
 * async. */
void emulate_bulk_begin(struct sql_conn *conn, const struct bulk_table *table);
void emulate_bulk_row(struct sql_conn *conn, const struct bulk_value *values);
void emulate_bulk_end(struct sql_conn *conn, bool commit);
/* Frees what a bulk without end left. */
void emulate_bulk_drop(struct sql_conn *conn);

#endif
