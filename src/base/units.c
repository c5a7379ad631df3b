/* SPDX-License-Identifier: MIT */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull
#define NS_PER_M  (60 * NS_PER_S)
#define NS_PER_H  (3600 * NS_PER_S)

/* More digits than a 64-bit result can show; those beyond are only remembered as "not zero". */
#define FRACTION_DIGITS 18

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* By hand and not by strtoll: a leading 0 is decimal here, because nobody means octal on a command
 * line. */
int units_parse_int(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
	uint64_t sum = 0;
	bool overflow = false;
	unsigned base = 10;

	if (*text == '-' || *text == '+')
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (*text == '\0')
		return -EINVAL;
	for (; *text != '\0'; text++) {
		int digit = digit_value(*text);

		if (digit >= (int)base)
			return -EINVAL;
		overflow |= sum > (limit - (unsigned)digit) / base;
		sum = sum * base + (unsigned)digit;
	}
	if (overflow)
		return -ERANGE;
	*value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
	return 0;
}

int units_parse_double(const char *text, double *value)
{
	const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
	char *end;
	double parsed;
	int code;

	/* strtod also takes blanks, "inf" and "nan". */
	if (!is_digit(digits[0]) && !(digits[0] == '.' && is_digit(digits[1])))
		return -EINVAL;
	errno = 0;
	parsed = strtod(text, &end);
	code = errno;
	if (*end != '\0')
		return -EINVAL;
	if (code == ERANGE && (isinf(parsed) || fpclassify(parsed) == FP_ZERO))
		return -ERANGE;
	*value = parsed;
	return 0;
}

/* A decimal number in exact form: whole + frac / frac_one. */
struct decimal {
	uint64_t whole;
	uint64_t frac;
	uint64_t frac_one;
	bool frac_nonzero; /* counts digits that `frac` had no room for */
	bool overflow;
};

/* Reads digits[.digits] at *at and moves it behind them. -EINVAL: there is no number. */
static int scan_decimal(const char **at, struct decimal *d)
{
	const char *p = *at;
	unsigned kept = 0;

	*d = (struct decimal){.frac_one = 1};
	if (!is_digit(*p) && !(*p == '.' && is_digit(p[1])))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		d->overflow |= d->whole > (UINT64_MAX - digit) / 10;
		d->whole = d->whole * 10 + digit;
	}
	if (*p == '.') {
		if (!is_digit(*++p))
			return -EINVAL;
		for (; is_digit(*p); p++) {
			d->frac_nonzero |= *p != '0';
			if (kept++ >= FRACTION_DIGITS)
				continue;
			d->frac = d->frac * 10 + (unsigned)(*p - '0');
			d->frac_one *= 10;
		}
	}
	*at = p;
	return 0;
}

/*
 * d * unit, to the nearest whole. A part of an indivisible unit ("1.5" bytes) is -EINVAL, and so
 * that nothing becomes the zero that often means "off", an amount that rounds to zero is -ERANGE.
 */
static int scale_decimal(const struct decimal *d, uint64_t unit, uint64_t *out)
{
	unsigned __int128 total;

	if (unit == 1 && d->frac_nonzero)
		return -EINVAL;
	if (d->overflow)
		return -ERANGE;
	total = (unsigned __int128)d->whole * unit +
	        ((unsigned __int128)d->frac * unit + d->frac_one / 2) / d->frac_one;
	if (total > UINT64_MAX || (total == 0 && d->frac_nonzero))
		return -ERANGE;
	*out = (uint64_t)total;
	return 0;
}

int units_parse_size(const char *text, uint64_t *size_bytes)
{
	static const char letters[] = "KMGTP";
	struct decimal d;
	uint64_t unit = 1;

	if (scan_decimal(&text, &d) != 0)
		return -EINVAL;
	if (*text != '\0') {
		const char *letter = strchr(letters, toupper((unsigned char)*text));

		if (letter != NULL) {
			unit = 1024ull << (10 * (letter - letters));
			text++;
		}
		if (*text != '\0' && strcasecmp(text, "B") != 0 &&
		    (letter == NULL || strcasecmp(text, "iB") != 0))
			return -EINVAL;
	}
	return scale_decimal(&d, unit, size_bytes);
}

/* Reads a time unit at *at and moves it behind it; 0: there is none of that name. */
static uint64_t scan_time_unit(const char **at)
{
	static const struct {
		const char *name;
		uint64_t unit_ns;
	} units[] = {
	    {"ns", 1},       {"us", NS_PER_US}, {"ms", NS_PER_MS},
	    {"s", NS_PER_S}, {"m", NS_PER_M},   {"h", NS_PER_H},
	};
	size_t len = 0;

	while (isalpha((unsigned char)(*at)[len]))
		len++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) == len && strncmp(units[i].name, *at, len) == 0) {
			*at += len;
			return units[i].unit_ns;
		}
	}
	return 0;
}

int units_parse_time(const char *text, uint64_t *time_ns)
{
	uint64_t last_ns = UINT64_MAX; /* units must come in falling order */
	uint64_t total_ns = 0;
	bool overflow = false;

	do {
		bool first = last_ns == UINT64_MAX;
		struct decimal d;
		uint64_t unit_ns, part_ns = 0;
		int rc;

		if (scan_decimal(&text, &d) != 0)
			return -EINVAL;
		unit_ns = first && *text == '\0' ? NS_PER_S : scan_time_unit(&text);
		if (unit_ns == 0 || unit_ns >= last_ns)
			return -EINVAL;
		last_ns = unit_ns;
		rc = scale_decimal(&d, unit_ns, &part_ns);
		if (rc == -EINVAL)
			return rc;
		/* The rest is still read: a text that is no time at all is -EINVAL whatever its
		 * size. */
		overflow |= rc != 0 || __builtin_add_overflow(total_ns, part_ns, &total_ns);
	} while (*text != '\0');
	if (overflow)
		return -ERANGE;
	*time_ns = total_ns;
	return 0;
}

int units_parse_bool(const char *text)
{
	static const char *const words[][2] = {
	    {"off", "on"}, {"false", "true"}, {"no", "yes"}, {"0", "1"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int value = 0; value <= 1; value++) {
			if (strcasecmp(text, words[i][value]) == 0)
				return value;
		}
	}
	return -EINVAL;
}

/* Three significant digits without useless zeros: "1.5", "12.3", "123". */
static void format_scaled(char *buf, size_t room, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	char digits[32];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%.*f", decimals, value);

	if (decimals > 0) {
		while (digits[len - 1] == '0')
			digits[--len] = '\0';
		if (digits[len - 1] == '.')
			digits[--len] = '\0';
	}
	snprintf(buf, room, "%s %s", digits, unit);
}

char *units_format_size(char *buf, size_t room, uint64_t size_bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)size_bytes;
	size_t i = 0;

	/* Half a unit early, because that is what would be printed as "1024 KiB". */
	for (; value >= 1023.5 && i + 1 < sizeof(names) / sizeof(names[0]); i++)
		value /= 1024;
	format_scaled(buf, room, value, names[i]);
	return buf;
}

static void format_clock(char *buf, size_t room, uint64_t time_s)
{
	const uint64_t parts[] = {time_s / 3600, time_s / 60 % 60, time_s % 60};
	static const char *const names[] = {"h", "min", "s"};
	char text[64] = "";
	size_t len = 0;

	for (size_t i = 0; i < 3; i++) {
		if (parts[i] != 0)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%llu %s",
			                        len != 0 ? " " : "", (unsigned long long)parts[i],
			                        names[i]);
	}
	snprintf(buf, room, "%s", text);
}

char *units_format_time(char *buf, size_t room, uint64_t time_ns)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	double value = (double)time_ns;
	size_t i = 0;

	if (time_ns >= 59950 * NS_PER_MS) {
		format_clock(buf, room, time_ns / NS_PER_S + (time_ns % NS_PER_S >= NS_PER_S / 2));
		return buf;
	}
	for (; value >= 999.5 && i + 1 < sizeof(names) / sizeof(names[0]); i++)
		value /= 1000;
	format_scaled(buf, room, value, names[i]);
	return buf;
}
