// Loads each library that its arguments name, as a program loads its plug-ins. After “-close FOLDER” it uses the
// library once, on a database in that folder, and closes it.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Finds a function. C has no conversion from the pointer that dlsym gives.
#define FIND(function, library, name)                                                                        \
  do {                                                                                                       \
    void *found = dlsym(library, name);                                                                      \
    memcpy(&function, &found, sizeof found);                                                                 \
  } while (0)

static int use(void *library, const char *folder) {
  int (*open)(const char *, const char *, void **);
  int (*set)(void *, const char *, int64_t);
  void *defaults;
  FIND(open, library, "osd_open_directory");
  FIND(set, library, "osd_set_integer");
  return open(folder, "App", &defaults) == 0 && set(defaults, "k", 5) == 0;
}

int main(int argc, char **argv) {
  const char *folder = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-close") == 0) {
      folder = argv[++i];
      continue;
    }
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    if (folder && (!use(library, folder) || dlclose(library) != 0)) return 2;
    // Whether its threads still have code to run.
    if (folder && !dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD)) puts("unloaded");
  }
  puts("loaded");
  return 0;
}
