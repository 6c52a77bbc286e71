"""Measures a Python module of property lists, or the C library libplist, for the benchmark; the argument names it.

Answers lines of standard input, times in nanoseconds:

load FILE         keeps a file's contents, and the property list that it holds
time parse COUNT  parses the contents so often
time write COUNT  writes the property list so often, in the file's format
"""

import ctypes
import importlib
import platform
import sys
import time


class Libplist:
    """The C library, called directly, with the two functions of Python's modules."""

    FMT_XML, FMT_BINARY = "xml", "bin"

    def __init__(self):
        for version in (4, 3):
            try:
                self.library = ctypes.CDLL(f"libplist-2.0.so.{version}")
            except OSError:
                continue
            # The function came with version 2.3; an older library tells no more than its name.
            if hasattr(self.library, "libplist_version"):
                self.library.libplist_version.restype = ctypes.c_char_p
                self.__version__ = self.library.libplist_version().decode()
            else:
                self.__version__ = f"(libplist-2.0.so.{version})"
            return
        raise ImportError("libplist")

    def loads(self, contents, fmt=None):
        """Makes the library's tree; without a format it is for ``dumps``, which lets go of it no more."""
        tree = ctypes.c_void_p()
        format = fmt or ("bin" if contents.startswith(b"bplist") else "xml")
        read = getattr(self.library, f"plist_from_{format}")
        read(contents, ctypes.c_uint32(len(contents)), ctypes.byref(tree))
        if not tree:
            raise ValueError("libplist does not read the file")
        if fmt:
            self.library.plist_free(tree)
        return tree

    def dumps(self, tree, fmt):
        text, length = ctypes.c_void_p(), ctypes.c_uint32()
        getattr(self.library, f"plist_to_{fmt}")(tree, ctypes.byref(text), ctypes.byref(length))
        # Version 2.3 gave one function the place of two.
        free = "plist_mem_free" if hasattr(self.library, "plist_mem_free") else f"plist_to_{fmt}_free"
        getattr(self.library, free)(text)


try:
    module = Libplist() if sys.argv[1] == "libplist" else importlib.import_module(sys.argv[1])
except ImportError:
    print("missing", flush=True)
    sys.exit()

# A module of Python's own has Python's version.
print("ready", getattr(module, "__version__", f"of Python {platform.python_version()}"), flush=True)
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
