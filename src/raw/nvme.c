/* SPDX-License-Identifier: MIT */
#include "raw/nvme.h"

#include <errno.h>
#include <endian.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

const char *nvmedev_no_ocp(int rc)
{
	if (rc == -EBADMSG)
		return "the drive keeps another log in its place";
	return rc > 0 ? "the drive has no such log" : nvmedev_strerror(rc);
}

#ifdef HAVE_LIBNVME

#include <libnvme.h>

#define PAGE_BYTES 4096u
#define OCP_HEALTH 0xc0

/* The library returns -1 with errno, or the drive's status. */
static int code(int rc)
{
	return rc < 0 ? -errno : rc;
}

const char *nvmedev_strerror(int rc)
{
	return rc <= 0 ? strerror(-rc) : nvme_status_to_string(rc, false);
}

uint32_t nvmedev_nsid(int fd)
{
	__u32 nsid = 0;

	return nvme_get_nsid(fd, &nsid) == 0 ? nsid : 0;
}

int nvmedev_ctrl(int fd, struct nvme_info_ctrl *c)
{
	alignas(PAGE_BYTES) struct nvme_id_ctrl page = {0};
	int rc = code(nvme_identify_ctrl(fd, &page));

	return rc != 0 ? rc : nvme_parse_ctrl(c, &page, sizeof(page));
}

int nvmedev_ns(int fd, uint32_t nsid, struct nvme_info_ns *n)
{
	alignas(PAGE_BYTES) struct nvme_id_ns page = {0};
	int rc = code(nvme_identify_ns(fd, nsid, &page));

	return rc != 0 ? rc : nvme_parse_ns(n, &page, sizeof(page));
}

int nvmedev_namespaces(int fd, uint32_t *nsids, unsigned room, unsigned *n)
{
	alignas(PAGE_BYTES) struct nvme_ns_list page = {0};
	int rc = code(nvme_identify_active_ns_list(fd, 0, &page));

	*n = 0;
	for (unsigned i = 0; rc == 0 && i < NVME_ID_NS_LIST_MAX && *n < room; i++) {
		uint32_t nsid = le32toh(page.ns[i]);

		if (nsid == 0)
			break;
		nsids[(*n)++] = nsid;
	}
	return rc;
}

static int get_log(int fd, unsigned lid, void *page, uint32_t len)
{
	/* "Retain": reading a log must not take an event from whoever waits for it. */
	return code(
	    nvme_get_nsid_log(fd, true, (enum nvme_cmd_get_log_lid)lid, NVME_NSID_ALL, len, page));
}

int nvmedev_health(int fd, struct nvme_health *h)
{
	alignas(PAGE_BYTES) unsigned char page[512] = {0};
	int rc = get_log(fd, NVME_LOG_LID_SMART, page, sizeof(page));

	return rc != 0 ? rc : nvme_parse_health(h, page, sizeof(page));
}

int nvmedev_ocp(int fd, struct nvme_ocp *o)
{
	alignas(PAGE_BYTES) unsigned char page[512] = {0};
	int rc = get_log(fd, OCP_HEALTH, page, sizeof(page));

	return rc != 0 ? rc : nvme_parse_ocp(o, page, sizeof(page));
}

int nvmedev_errors(int fd, struct nvme_error_entry *entries, unsigned room, unsigned *n)
{
	alignas(PAGE_BYTES) unsigned char page[PAGE_BYTES] = {0};
	uint32_t len = room * 64 < sizeof(page) ? room * 64 : (uint32_t)sizeof(page);
	int rc = get_log(fd, NVME_LOG_LID_ERROR, page, len);

	*n = 0;
	for (unsigned i = 0; rc == 0 && i < room; i++) {
		if (nvme_parse_error(&entries[*n], i, page, len) != 0)
			break;
		*n += entries[*n].count != 0;
	}
	return rc;
}

int nvmedev_power_state(int fd, unsigned *state)
{
	__u32 result = 0;
	int rc = code(nvme_get_features_power_mgmt(fd, NVME_GET_FEATURES_SEL_CURRENT, &result));

	*state = result & 0x1f;
	return rc;
}

int nvmedev_write_cache(int fd, bool *on)
{
	__u32 result = 0;
	int rc = code(nvme_get_features_volatile_wc(fd, NVME_GET_FEATURES_SEL_CURRENT, &result));

	*on = (result & 1) != 0;
	return rc;
}

int nvmedev_format(int fd, uint32_t nsid, unsigned format, bool metadata_extended, bool crypto,
                   uint32_t timeout_ms)
{
	struct nvme_format_nvm_args args = {
	    .args_size = sizeof(args),
	    .fd = fd,
	    .timeout = timeout_ms,
	    .nsid = nsid,
	    .mset = metadata_extended ? NVME_FORMAT_MSET_EXTENDED : NVME_FORMAT_MSET_SEPARATE,
	    .pi = NVME_FORMAT_PI_DISABLE,
	    .pil = NVME_FORMAT_PIL_LAST,
	    .ses = crypto ? NVME_FORMAT_SES_CRYPTO_ERASE : NVME_FORMAT_SES_USER_DATA_ERASE,
	    .lbaf = format & 0xf,
	    .lbafu = (format >> 4) & 3,
	};

	return code(nvme_format_nvm(&args));
}

int nvmedev_sanitize(int fd, bool crypto)
{
	struct nvme_sanitize_nvm_args args = {
	    .args_size = sizeof(args),
	    .fd = fd,
	    .timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
	    .sanact = crypto ? NVME_SANITIZE_SANACT_START_CRYPTO_ERASE
	                     : NVME_SANITIZE_SANACT_START_BLOCK_ERASE,
	};

	return code(nvme_sanitize_nvm(&args));
}

int nvmedev_sanitize_status(int fd, struct nvme_sanitize_status *s)
{
	alignas(PAGE_BYTES) unsigned char page[512] = {0};
	int rc = get_log(fd, NVME_LOG_LID_SANITIZE, page, sizeof(page));

	return rc != 0 ? rc : nvme_parse_sanitize(s, page, sizeof(page));
}

#else

const char *nvmedev_strerror(int rc)
{
	return rc == -ENOTSUP ? "this build has no libnvme" : strerror(-rc);
}

uint32_t nvmedev_nsid(int fd)
{
	(void)fd;
	return 0;
}

int nvmedev_ctrl(int fd, struct nvme_info_ctrl *c)
{
	(void)fd;
	*c = (struct nvme_info_ctrl){0};
	return -ENOTSUP;
}

int nvmedev_ns(int fd, uint32_t nsid, struct nvme_info_ns *n)
{
	(void)fd;
	(void)nsid;
	*n = (struct nvme_info_ns){0};
	return -ENOTSUP;
}

int nvmedev_namespaces(int fd, uint32_t *nsids, unsigned room, unsigned *n)
{
	(void)fd;
	(void)nsids;
	(void)room;
	*n = 0;
	return -ENOTSUP;
}

int nvmedev_health(int fd, struct nvme_health *h)
{
	(void)fd;
	*h = (struct nvme_health){0};
	return -ENOTSUP;
}

int nvmedev_ocp(int fd, struct nvme_ocp *o)
{
	(void)fd;
	*o = (struct nvme_ocp){0};
	return -ENOTSUP;
}

int nvmedev_errors(int fd, struct nvme_error_entry *entries, unsigned room, unsigned *n)
{
	(void)fd;
	(void)entries;
	(void)room;
	*n = 0;
	return -ENOTSUP;
}

int nvmedev_power_state(int fd, unsigned *state)
{
	(void)fd;
	*state = 0;
	return -ENOTSUP;
}

int nvmedev_write_cache(int fd, bool *on)
{
	(void)fd;
	*on = false;
	return -ENOTSUP;
}

int nvmedev_format(int fd, uint32_t nsid, unsigned format, bool metadata_extended, bool crypto,
                   uint32_t timeout_ms)
{
	(void)fd;
	(void)nsid;
	(void)format;
	(void)metadata_extended;
	(void)crypto;
	(void)timeout_ms;
	return -ENOTSUP;
}

int nvmedev_sanitize(int fd, bool crypto)
{
	(void)fd;
	(void)crypto;
	return -ENOTSUP;
}

int nvmedev_sanitize_status(int fd, struct nvme_sanitize_status *s)
{
	(void)fd;
	*s = (struct nvme_sanitize_status){0};
	return -ENOTSUP;
}

#endif
