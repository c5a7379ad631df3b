/* SPDX-License-Identifier: MIT */
#include "base/near.h"

#include <ctype.h>
#include <string.h>

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

static char folded(char c)
{
	return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

unsigned near_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned rows[3][NEAR_NAME_LEN + 1];

	for (unsigned k = 0; k <= b_len; k++)
		rows[0][k] = k;
	for (unsigned i = 1; i <= a_len; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3],
		         *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned k = 1; k <= b_len; k++) {
			char ca = folded(a[i - 1]), cb = folded(b[k - 1]);

			row[k] = min3(above[k] + 1, row[k - 1] + 1, above[k - 1] + (ca != cb));
			if (i > 1 && k > 1 && ca == folded(b[k - 2]) && folded(a[i - 2]) == cb &&
			    above2[k - 2] + 1 < row[k])
				row[k] = above2[k - 2] + 1;
		}
	}
	return rows[a_len % 3][b_len];
}

unsigned near_limit(size_t len)
{
	return len < 4 ? 1 : len < 8 ? 2 : 3;
}

const char *near_name(const char *name, const char *const *known, size_t n)
{
	size_t len = strlen(name);
	unsigned least = near_limit(len) + 1;
	const char *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t known_len = strlen(known[i]);
		unsigned steps;

		if (len > NEAR_NAME_LEN || known_len > NEAR_NAME_LEN)
			continue;
		steps = near_distance(name, len, known[i], known_len);
		/* All letters changed is not near. */
		if (steps < least && steps < known_len) {
			least = steps;
			best = known[i];
		}
	}
	return best;
}
