#include "window.h"

#include <OpenStepDefaults.h>
#include <stdio.h>
#include <stdlib.h>

/// The shared defaults; the library opens them once.
static osd_defaults *shared(void) {
  static osd_defaults *defaults = NULL;
  if (!defaults && osd_open_gnustep_standard(&defaults) != OSD_OK) {
    fprintf(stderr, "%s\n", osd_error_message());
    exit(1);
  }
  return defaults;
}

static void key(char *text, size_t size, const char *name) { snprintf(text, size, "NSWindow Frame %s", name); }

void window_save(const char *name, int x, int y, int width, int height) {
  char frame[64], frame_key[64];
  key(frame_key, sizeof frame_key, name);
  snprintf(frame, sizeof frame, "%d %d %d %d", x, y, width, height);
  osd_set_string(shared(), frame_key, frame);
}

int window_width(const char *name) {
  char frame_key[64];
  char *frame = NULL;
  int width = 0;
  int64_t columns = 0;
  key(frame_key, sizeof frame_key, name);
  if (osd_copy_string(shared(), frame_key, &frame, NULL) == OSD_OK) sscanf(frame, "%*d %*d %d", &width);
  osd_free(frame);
  if (width > 0) return width;
  osd_get_integer(shared(), "Columns", &columns);
  return 8 * (int)columns;
}
