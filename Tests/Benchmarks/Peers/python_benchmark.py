"""Measures a Python module of property lists for the benchmark; the argument names it.

Answers lines of standard input, times in nanoseconds:

load FILE         keeps a file's contents, and the property list that it holds
time parse COUNT  parses the contents so often
time write COUNT  writes the property list so often, in the file's format
"""

import importlib
import sys
import time

try:
    module = importlib.import_module(sys.argv[1])
except ImportError:
    print("missing", flush=True)
    sys.exit()

print("ready", flush=True)
options = {}
for line in sys.stdin:
    words = line.split()
    elapsed = 0
    if words[0] == "load":
        with open(words[1], "rb") as file:
            contents = file.read()
        if sys.argv[1] == "openstep_plist":
            contents = contents.decode("utf-8")
        elif contents.startswith(b"bplist"):
            options = {"fmt": module.FMT_BINARY}
        else:
            options = {"fmt": module.FMT_XML}
        tree = module.loads(contents)
    else:
        start = time.monotonic_ns()
        for _ in range(int(words[2])):
            if words[1] == "parse":
                module.loads(contents, **options)
            else:
                module.dumps(tree, **options)
        elapsed = time.monotonic_ns() - start
    print(elapsed, flush=True)
