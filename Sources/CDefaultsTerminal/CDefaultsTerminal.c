// The size of a terminal, in C because Swift cannot call `ioctl`, whose arguments vary.

#include "CDefaultsTerminal.h"
#include <sys/ioctl.h>

int cterminal_width(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
