#!/bin/bash
# SPDX-License-Identifier: MIT
# Stands for all unit tests in a build without cmocka, so that their absence shows.
. "${srcdir:-.}/tests/lib.sh"
skip "package libcmocka-dev is missing (configure found no cmocka)"
