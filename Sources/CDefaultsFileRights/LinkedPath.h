/// Opening of paths that lead through links, for a thread with a user's rights.
#ifndef LINKED_PATH_H
#define LINKED_PATH_H

#if defined(__linux__)

#include <stdint.h>

/// What `open_resolving` refuses: ways into another mounted file system, with `EXDEV`; links such as those in `/proc/self/fd`,
/// and all links, with `ELOOP`.
enum { NO_MOUNTS = 0x01, NO_MAGIC_LINKS = 0x02, NO_LINKS = 0x04 };

/// Opens a file as `openat` does, through no links of some kinds.
int open_resolving(int base, const char *path, int flags, unsigned int mode, uint64_t refused);

/// Opens a file as `openat` does, through links and into other file systems, with these differences:
///
/// - A way into the file system of the processes gives `EOPNOTSUPP`, unless the path itself begins with `/proc/self/` and goes
///   up nowhere.
/// - Links such as those in `/proc/self/fd`, and a way over more than 200 links and mounted file systems, give `ELOOP`.
/// - Another user's link at the end, in a directory where everybody may make files, gives `EACCES`, as by the kernel's
///   setting `fs.protected_symlinks`, and also where that is off.
int open_through_links(int base, const char *path, int flags, unsigned int mode);

#endif

#endif
