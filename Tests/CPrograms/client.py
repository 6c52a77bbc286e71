"""Uses the library from Python, by ctypes alone: no headers are read by a compiler.

Arguments: the library, the header, and a directory for a database.
"""

import ctypes
import re
import sys

library = ctypes.CDLL(sys.argv[1])
header = open(sys.argv[2], encoding="utf-8").read()

# Every function that the header declares is in the library.
names = re.findall(r"^[a-z].*?[ *](osd_[a-z_]+)\(", header, re.MULTILINE)
assert len(names) > 40, names
for name in names:
    getattr(library, name)

OK, ABSENT, BAD_ARGUMENT, FAILED = range(4)
library.osd_version.restype = ctypes.c_char_p
library.osd_error_message.restype = ctypes.c_char_p
library.osd_free.argtypes = library.osd_close.argtypes = library.osd_end_observation.argtypes = [ctypes.c_void_p]
library.osd_free.restype = library.osd_close.restype = library.osd_end_observation.restype = None


def check(status, expected=OK):
    assert status == expected, (status, library.osd_error_message())


assert re.fullmatch(rb"\d+\.\d+\.\d+", library.osd_version())
defaults = ctypes.c_void_p()
check(library.osd_open_directory(sys.argv[3].encode(), b"App", ctypes.byref(defaults)))

# Numbers, strings, lists.
check(library.osd_set_integer(defaults, b"Columns", ctypes.c_int64(-(2**63))))
number = ctypes.c_int64()
check(library.osd_get_integer(defaults, b"Columns", ctypes.byref(number)))
assert number.value == -(2**63)
check(library.osd_set_double(defaults, b"Scale", ctypes.c_double(0.1)))
real = ctypes.c_double()
check(library.osd_get_double(defaults, b"Scale", ctypes.byref(real)))
assert real.value == 0.1
check(library.osd_set_string(defaults, b"Name", "grüß dich".encode()))
text, length = ctypes.c_void_p(), ctypes.c_size_t()
check(library.osd_copy_string(defaults, b"Name", ctypes.byref(text), ctypes.byref(length)))
assert ctypes.string_at(text, length.value).decode() == "grüß dich"
library.osd_free(text)
words = (ctypes.c_char_p * 2)(b"one", b"two")
check(library.osd_set_string_array(defaults, b"Words", words, ctypes.c_size_t(2)))
items, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
check(library.osd_copy_string_array(defaults, b"Words", ctypes.byref(items), ctypes.byref(count)))
assert [items[i] for i in range(count.value)] == [b"one", b"two"]
library.osd_free(items)

# Errors have a sentence, and change nothing.
check(library.osd_set_string(defaults, b"Name", b"\xff"), BAD_ARGUMENT)
assert b"UTF-8" in library.osd_error_message()
check(library.osd_get_integer(defaults, b"Absent", ctypes.byref(number)), ABSENT)
assert number.value == 0

# An observer.
seen = []
callback_type = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
callback = callback_type(lambda key, context: seen.append((key, context)))
observation = ctypes.c_void_p()
check(library.osd_observe(
    defaults, b"Columns", callback, ctypes.c_void_p(7), ctypes.c_void_p(), ctypes.byref(observation)))
check(library.osd_set_bool(defaults, b"Columns", ctypes.c_bool(True)))
assert seen == [(b"Columns", 7)], seen
library.osd_end_observation(observation)

check(library.osd_synchronize(defaults))
library.osd_close(defaults)
stored = open(sys.argv[3] + "/App.plist", encoding="utf-8").read()
assert "grüß dich" in stored and "YES" in stored, stored
