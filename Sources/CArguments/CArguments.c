// The process's arguments as its C library has them.
//
// Swift's own list is read from /proc, and is empty where there is none, as in a small container or below `chroot`.

#include "CArguments.h"
#include <limits.h>
#include <stddef.h>

static int count = 0;
static char *const *vector = NULL;

#if defined(__GLIBC__)
// Glibc hands the arguments of main to what runs before it, too.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  vector = argv;
}
#endif

int carguments_count(void) { return count; }

char *const *carguments_vector(void) { return vector; }
