// The process's arguments, from the C library.
//
// Swift's list is read from /proc, and is empty where that is missing, as in a small container or after
// `chroot`.

#include "CDefaultsArguments.h"
#include <limits.h>
#include <stddef.h>

static int count = 0;
static char *const *vector = NULL;

#if defined(__GLIBC__)
// Glibc passes the arguments of main to constructors too, which run before it.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  vector = argv;
}
#endif

int carguments_count(void) { return count; }

char *const *carguments_vector(void) { return vector; }
