// Threads of C that use the defaults, beside those of a test in Swift.

#include "CThreads.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct worker {
  osd_defaults *defaults;
  int number;
  int count;
  int failures;
  atomic_int calls;
  atomic_int released;
};

struct threads {
  pthread_t threads[8];
  struct worker workers[8];
};

static void changed(const char *key, void *context) {
  (void)key;
  atomic_fetch_add(&((struct worker *)context)->calls, 1);
}

static void released(void *context) { atomic_fetch_add(&((struct worker *)context)->released, 1); }

static void *work(void *argument) {
  struct worker *worker = argument;
  char key[16], other[16];
  snprintf(key, sizeof key, "C %d", worker->number);
  snprintf(other, sizeof other, "Swift %d", worker->number);
  osd_observation *own = NULL, *all = NULL;
  worker->failures += osd_observe(worker->defaults, key, changed, worker, released, &own) != OSD_OK;
  worker->failures += osd_observe(worker->defaults, other, changed, worker, released, &all) != OSD_OK;
  for (int i = 1; i <= worker->count; i++) {
    int64_t found = 0;
    char *text = NULL;
    worker->failures += osd_set_integer(worker->defaults, key, i) != OSD_OK;
    worker->failures += osd_get_integer(worker->defaults, key, &found) != OSD_OK || found != i;
    osd_get_integer(worker->defaults, other, &found);
    // Each thread has a sentence of its own.
    worker->failures += osd_set_string(worker->defaults, key, "\xff") != OSD_BAD_ARGUMENT;
    worker->failures += strstr(osd_error_message(), "UTF-8") == NULL;
    if (i % 50 == 0) {
      worker->failures += osd_copy_representation(worker->defaults, &text, NULL) != OSD_OK;
      worker->failures += text == NULL || strstr(text, key) == NULL;
      osd_free(text);
      worker->failures += osd_synchronize(worker->defaults) != OSD_OK;
    }
  }
  osd_end_observation(own);
  osd_end_observation(all);
  // Its own changes were told before its calls returned, or by a thread that was telling of that key.
  worker->failures += atomic_load(&worker->calls) == 0;
  return NULL;
}

void *cthreads_start(osd_defaults *defaults, int count) {
  struct threads *threads = calloc(1, sizeof *threads);
  for (int i = 0; i < 8; i++) {
    threads->workers[i].defaults = defaults;
    threads->workers[i].number = i;
    threads->workers[i].count = count;
    if (pthread_create(&threads->threads[i], NULL, work, &threads->workers[i]) != 0) abort();
  }
  return threads;
}

int cthreads_join(void *argument) {
  struct threads *threads = argument;
  int failures = 0;
  for (int i = 0; i < 8; i++) {
    pthread_join(threads->threads[i], NULL);
    failures += threads->workers[i].failures;
  }
  // Where an observation was not made, its context may never be released. All stays for calls still to come.
  if (failures > 0) return failures;
  // A thread of Swift, or a worker thread in its place, may still be calling an observer that ended.
  for (int i = 0; i < 8; i++) {
    while (atomic_load(&threads->workers[i].released) < 2) sched_yield();
  }
  for (int i = 0; i < 8; i++) failures += atomic_load(&threads->workers[i].released) != 2;
  free(threads);
  return failures;
}
