/// Opening of paths that lead through links, for a thread with a user's rights.
#ifndef LINKED_PATH_H
#define LINKED_PATH_H

#if defined(__linux__)

#include <stdint.h>

/// What `open_resolving` refuses, with `ELOOP`: links such as those in `/proc/self/fd`, and all links.
enum { NO_MAGIC_LINKS = 0x02, NO_LINKS = 0x04 };

/// Opens a file as `openat` does, through no links of some kinds.
int open_resolving(int base, const char *path, int flags, unsigned int mode, uint64_t refused);

/// Opens a file as `openat` does, through links, but not through one of another user than the administrator into the file
/// system of the processes (`EOPNOTSUPP`), and through none of those in `/proc/self/fd` (`ELOOP`).
int open_through_links(int base, const char *path, int flags, unsigned int mode);

#endif

#endif
