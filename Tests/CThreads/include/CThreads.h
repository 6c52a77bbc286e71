#ifndef CTHREADS_H
#define CTHREADS_H

#include <OpenStepDefaults.h>

/// Starts eight threads that set and read their own keys `C 0` to `C 7`, read those of Swift's threads, and observe.
void *cthreads_start(osd_defaults *defaults, int count);

/// Waits for the threads; gives the number of expectations that did not hold.
int cthreads_join(void *threads);

#endif
