/* SPDX-License-Identifier: MIT */
#ifndef IOLTP_BASE_GCD_H
#define IOLTP_BASE_GCD_H

#include <stdint.h>

/* The greatest common divisor; of 0 and a number, that number. */
static inline uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
