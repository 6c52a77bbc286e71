/** The place of `defaults/defaults.h` in NEXTSTEP 1 and 2. */

#include "../defaults/defaults.h"
