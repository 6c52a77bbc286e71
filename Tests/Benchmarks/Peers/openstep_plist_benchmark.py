"""Measures openstep_plist for the benchmark; answers lines of standard input, times in nanoseconds.

load FILE         keeps a file's text, and the property list that it holds
time parse COUNT  parses the text so often
time write COUNT  writes the property list so often
"""

import sys
import time

try:
    import openstep_plist
except ImportError:
    print("missing", flush=True)
    sys.exit()

print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    elapsed = 0
    if words[0] == "load":
        with open(words[1], encoding="utf-8") as file:
            text = file.read()
        tree = openstep_plist.loads(text)
    else:
        start = time.monotonic_ns()
        for _ in range(int(words[2])):
            if words[1] == "parse":
                openstep_plist.loads(text)
            else:
                openstep_plist.dumps(tree)
        elapsed = time.monotonic_ns() - start
    print(elapsed, flush=True)
