# SPDX-License-Identifier: MIT
"""What the documents of guest_raw.sh must say. Arguments: the folder of them."""
import json
import os
import sys

folder = sys.argv[1]


def load(name):
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def accounted(doc):
    t = doc["totals"]
    assert t["offered"] == t["ok"] + t["failed"] + t["skipped"] + t["unfinished"], t


for name in ("read-uring", "read-sync", "read-cmd"):
    doc = load(name)
    t, c = doc["totals"], doc["counters"]
    accounted(doc)
    assert t["ok"] > 0 and t["failed"] == 0 and t["write_bytes_per_s"] == 0, (name, t)
    assert c["smart_bytes_written"] == 0, (name, c)
    # Two I/Os side by side may become one command of the block layer; passthrough is as it is.
    if name == "read-cmd":
        assert "counters_device_missing" in c and "device_reads" not in c, c
        assert t["ok"] <= c["smart_read_commands"] <= t["ok"] + 64, (name, c, t["ok"])
    else:
        assert c["smart_read_commands"] + c["device_read_merges"] >= t["ok"], (name, c, t["ok"])
    assert c["temperature_after_c"] == 50, (name, c)
    assert "counters_media_missing" in c, (name, c)
    assert doc["device"]["model"].startswith("QEMU NVMe"), (name, doc["device"])

for name in ("write-uring", "write-cmd"):
    doc = load(name)
    t, c = doc["totals"], doc["counters"]
    accounted(doc)
    assert t["ok"] > 0 and t["failed"] == 0, (name, t)
    # Both count what was given to the drive from before the window to after it.
    assert c["smart_write_commands"] + c.get("device_write_merges", 0) >= t["writes"], (name, c, t)
    assert c["smart_bytes_written"] >= t["writes"] * 65536 - 512000, (name, c, t)
flushed = load("write-uring")
# The kernel answers flushes that wait side by side with one.
assert 0 < flushed["counters"]["device_flushes"] <= flushed["totals"]["writes"] // 8 + 8, flushed["counters"]

for name in ("flaky", "vanished"):
    doc = load(name)
    t = doc["totals"]
    accounted(doc)
    assert t["ok"] > 0 and t["failed"] > 0, (name, t)
    codes = {str(e.get("code")) for e in doc["errors"]} | {str(e.get("text")) for e in doc["errors"]}
    assert doc["errors"], (name, "no errors")
    print(name, t["ok"], "ok,", t["failed"], "failed:", sorted(codes))
    assert sum(i["failed"] for i in doc["intervals"]) == t["failed"], (name, doc["intervals"])
# A drive that is gone ends the run, long before its time of 60 s is over.
assert load("vanished")["totals"]["offered"] < 60 * 50 / 2, load("vanished")["totals"]

pts = load("pts")
(test,) = pts["tests"]
assert test["conditioning"]["purge"].startswith("format"), test["conditioning"]
