/* SPDX-License-Identifier: MIT */
/* What is on the target: filesystems, RAID and volume members, encrypted volumes, partition tables.
 */
#include <errno.h>
#include <string.h>

#include "raw/guard_priv.h"

#ifdef HAVE_BLKID

#include <blkid/blkid.h>

static const char *value_of(blkid_probe pr, const char *name)
{
	const char *value = NULL;

	return blkid_probe_lookup_value(pr, name, &value, NULL) == 0 ? value : NULL;
}

static void tell(blkid_probe pr, struct guard_finding *f)
{
	const char *type = value_of(pr, "TYPE"), *usage = value_of(pr, "USAGE");
	const char *table = value_of(pr, "PTTYPE"), *label = value_of(pr, "LABEL");

	if (type != NULL)
		guard_find(f, GUARD_REFUSE, "holds %s (%s)%s%.100s%s; if it may go: wipefs -a",
		           type, usage != NULL ? usage : "signature",
		           label != NULL ? " labelled '" : "", label != NULL ? label : "",
		           label != NULL ? "'" : "");
	else
		guard_find(f, GUARD_REFUSE, "holds a partition table (%s); if it may go: wipefs -a",
		           table != NULL ? table : "of some kind");
}

void guard_check_signature(const struct guard_subject *s, struct guard_finding *f)
{
	blkid_probe pr;
	int rc;

	if (s->kind == GUARD_NEW_FILE || (s->kind == GUARD_FILE && s->st.st_size == 0)) {
		guard_find(f, GUARD_NOT_APPLICABLE, "an empty file");
		return;
	}
	if (s->fd < 0) {
		guard_find(
		    f, GUARD_UNKNOWN,
		    "what is on it cannot be read: %s; run as root, or see to its permissions",
		    strerror(s->fd_error));
		return;
	}
	pr = blkid_new_probe();
	if (pr == NULL || blkid_probe_set_device(pr, s->fd, 0, 0) != 0) {
		guard_find(f, GUARD_UNKNOWN, "what is on it cannot be read: %s",
		           errno != 0 ? strerror(errno) : "out of memory");
		blkid_free_probe(pr);
		return;
	}
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
	                                          BLKID_SUBLKS_LABEL | BLKID_SUBLKS_MAGIC |
	                                          BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_set_partitions_flags(pr, BLKID_PARTS_FORCE_GPT | BLKID_PARTS_MAGIC);
	/* The first of all that it finds is enough; 1 is nothing. */
	rc = blkid_do_probe(pr);
	if (rc == 0)
		tell(pr, f);
	else if (rc == 1)
		guard_find(f, GUARD_PASS,
		           "holds no filesystem, volume or partition table that is known");
	else
		guard_find(f, GUARD_UNKNOWN, "what is on it cannot be read; see 'dmesg'");
	blkid_free_probe(pr);
}

#else

void guard_check_signature(const struct guard_subject *s, struct guard_finding *f)
{
	if (s->kind == GUARD_NEW_FILE || (s->kind == GUARD_FILE && s->st.st_size == 0))
		guard_find(f, GUARD_NOT_APPLICABLE, "an empty file");
	else
		guard_find(f, GUARD_UNKNOWN,
		           "what is on it cannot be told by this build; build with libblkid "
		           "(libblkid-dev)");
}

#endif
