# SPDX-License-Identifier: MIT
"""What the comparisons of guest_verdict.sh must say. Arguments: the folder of them."""
import json
import os
import sys

# The drive's speed was known beforehand: so is what limits the database on it.
for name, cause in (("throttled", "device"), ("delayed", "lock"), ("memory", "cpu")):
    with open(os.path.join(sys.argv[1], name + ".compare.json"), encoding="utf-8") as f:
        verdict = json.load(f)["verdict"]
    print(name + ":", verdict["words"])
    assert verdict["cause"] == cause, (name, verdict)
