#!/bin/bash
# SPDX-License-Identifier: MIT
# ioltp db with PostgreSQL: starts that are refused, fail, or are interrupted leave nothing behind.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"
. "$srcdir/tests/db/instances_lib.sh"
unset "${!PG@}" 2>/dev/null

engine=postgres
refusals
interrupted
no_room 40000
