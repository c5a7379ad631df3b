/* SPDX-License-Identifier: MIT */
/*
 * units: numbers as people write them. Every parser takes the whole text or refuses it: "10x", "",
 * " 5" and overflow are errors (-EINVAL, -ERANGE), never a prefix silently used. What was refused
 * leaves *value alone. Any thread.
 */
#ifndef IOLTP_BASE_UNITS_H
#define IOLTP_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* "123", "-5", "0x10": a signed 64-bit integer. A leading 0 is decimal ("010" is ten). */
int units_parse_int(const char *text, int64_t *value);
/* "0.5", "1e6": finite doubles only; one too small to differ from zero is -ERANGE. */
int units_parse_double(const char *text, double *value);
/* "4096", "4k", "4KiB", "1.5G", "2T": bytes, 1024-based, K M G T P in either case, optional
 * "B"/"iB". Not negative. Fractions of a unit are rounded to whole bytes; fractions of a byte are
 * -EINVAL, what would round to zero -ERANGE. */
int units_parse_size(const char *text, uint64_t *size_bytes);
/* "10", "0.5", "10s", "100ms", "5us", "20ns", "2m", "1h", "1h30m": a bare number is seconds. Not
 * negative. Units fall from left to right. Rounding as for sizes, to whole ns. */
int units_parse_time(const char *text, uint64_t *time_ns);
/* "on|off|true|false|yes|no|1|0", any case; 1, 0 or -EINVAL. */
int units_parse_bool(const char *text);

/* "1.5 GiB", "4 KiB", "512 B" into buf (always terminated). Returns buf. */
char *units_format_size(char *buf, size_t room, uint64_t size_bytes);
/* "1.23 ms", "20 ns", "3 min 20 s" into buf (always terminated). Returns buf. */
char *units_format_time(char *buf, size_t room, uint64_t time_ns);

#endif
