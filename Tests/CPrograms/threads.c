// Threads that read what another one sets and removes, and a thread with a small stack that gets deep text.
//
// It prints each expectation that does not hold, and ends with 0 if all hold.

#include <OpenStepDefaults.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("threads.c:%d: %s (%s)\n", __LINE__, #condition, osd_error_message());                         \
      failures++;                                                                                            \
    }                                                                                                        \
  } while (0)

/// Half of the stack that the header asks for: text is refused without it.
enum { stack_size = 128 << 10 };

static void *set_and_remove(void *argument) {
  osd_defaults *defaults = (osd_defaults *)argument;
  for (int i = 0; i < 50000; i++) {
    osd_set_integer(defaults, "k", 5);
    osd_remove(defaults, "k");
  }
  osd_set_bool(defaults, "done", true);
  return NULL;
}

/// A value is absent or 5, and never 0.
static void readers(osd_defaults *defaults) {
  pthread_t writer;
  EXPECT(pthread_create(&writer, NULL, set_and_remove, defaults) == 0);
  int wrong = 0;
  while (osd_has_value(defaults, "done") == OSD_ABSENT) {
    int64_t whole = 1;
    double real = 1;
    float single = 1;
    bool truth = false;
    if (osd_get_integer(defaults, "k", &whole) == OSD_OK && whole != 5) wrong++;
    if (osd_get_double(defaults, "k", &real) == OSD_OK && real != 5) wrong++;
    if (osd_get_float(defaults, "k", &single) == OSD_OK && single != 5) wrong++;
    if (osd_get_bool(defaults, "k", &truth) == OSD_OK && !truth) wrong++;
  }
  pthread_join(writer, NULL);
  EXPECT(wrong == 0);
}

static void *set_deep(void *argument) {
  osd_defaults *defaults = (osd_defaults *)argument;
  const int depths[] = {500, 501, 1000, 1001};
  for (int i = 0; i < 4; i++) {
    char text[2100], dictionary[2200];
    memset(text, '(', depths[i]);
    memset(text + depths[i], ')', depths[i]);
    text[2 * depths[i]] = 0;
    EXPECT(osd_set_property_list(defaults, "deep", text) == (i == 0 ? OSD_OK : OSD_BAD_ARGUMENT));
    snprintf(dictionary, sizeof dictionary, "{ deep = %s; }", text);
    EXPECT(osd_register(defaults, dictionary) == OSD_BAD_ARGUMENT);
    EXPECT(osd_set_volatile_domain(defaults, "V", dictionary) == OSD_BAD_ARGUMENT);
  }
  char *text = NULL;
  EXPECT(osd_copy_property_list(defaults, "deep", &text, NULL) == OSD_OK);
  osd_free(text);
  EXPECT(osd_remove(defaults, "deep") == OSD_OK);
  return NULL;
}

static void small_stack(osd_defaults *defaults) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  EXPECT(pthread_attr_setstacksize(&attributes, stack_size) == 0);
  EXPECT(pthread_create(&thread, &attributes, set_deep, defaults) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

int main(void) {
  osd_defaults *defaults = NULL;
  EXPECT(osd_open_memory("App", &defaults) == OSD_OK);
  readers(defaults);
  small_stack(defaults);
  osd_close(defaults);
  return failures ? 1 : 0;
}
