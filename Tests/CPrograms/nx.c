// A program with NeXT's functions: it does what each line of its standard input says, and prints one line for it.
//
// The fields of a line are separated by tabs; the field \N is NULL. An integer is printed as it is, a text
// as it is, and NULL as \N.

#include <OpenStepDefaults.h>
#include <defaults/defaults.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { maximum_fields = 64, thread_count = 8, round_count = 50 };

static int failures = 0;

/// The process's object of the classic class; NULL until a verb uses it.
static osd_defaults *standard = NULL;

/// The entries of the vector that NeXT's documents show.
static NXDefaultsVector write_now_defaults = {{"NXFont", "Helvetica"}, {"NXFontSize", "12.0"}, {NULL, NULL}};

static void show(const char *text) { puts(text == NULL ? "\\N" : text); }

/// Makes a vector of names and values.
static struct _NXDefault *make_vector(char **fields, int count) {
  static struct _NXDefault vector[maximum_fields];
  int length = 0;
  for (int index = 0; index + 1 < count; index += 2) {
    vector[length].name = fields[index];
    vector[length].value = fields[index + 1];
    length += 1;
  }
  vector[length].name = NULL;
  vector[length].value = NULL;
  return vector;
}

static void expect(int condition, const char *what) {
  if (!condition) {
    fprintf(stderr, "%s\n", what);
    __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
  }
}

/// What one of the threads does: it uses parameters of its own, and one that all threads write.
static void *work(void *argument) {
  char name[16];
  snprintf(name, sizeof name, "Own%d", *(int *)argument);
  for (int round = 0; round < round_count; round += 1) {
    char value[16];
    snprintf(value, sizeof value, "%d", round);
    expect(NXSetDefault("Threads", name, value) == 1, "set");
    const char *found = NXGetDefaultValue("Threads", name);
    expect(found != NULL && strcmp(found, value) == 0, "its own value was not found");
    const char *shared = NXGetDefaultValue("Threads", "Shared");
    if (round % 10 == 0) {
      expect(NXWriteDefault("Threads", "Shared", value) == 1, "write");
      expect(NXWriteDefault("Threads", name, value) == 1, "write its own");
      NXUpdateDefaults();
      expect(NXReadDefault("Threads", name) == NXGetDefaultValue("Threads", name), "two texts for one value");
    }
    // Another thread may have written another value since.
    expect(shared == NULL || strlen(shared) <= 2, "a returned text changed");
  }
  return NULL;
}

static int run_threads(void) {
  pthread_t threads[thread_count];
  int numbers[thread_count];
  for (int index = 0; index < thread_count; index += 1) {
    numbers[index] = index;
    if (pthread_create(&threads[index], NULL, work, &numbers[index]) != 0) return -1;
  }
  for (int index = 0; index < thread_count; index += 1) pthread_join(threads[index], NULL);
  const char *cached = NXGetDefaultValue("Threads", "Shared");
  const char *stored = NXReadDefault("Threads", "Shared");
  expect(cached != NULL && stored != NULL && strcmp(cached, stored) == 0, "the cache has another value");
  return failures;
}

/// The number that a thread has written last, or is writing, with three parameters at a time; 0 after the last one.
static int written = 1;

static int number(const char *name) {
  const char *text = NXGetDefaultValue("Together", name);
  return text == NULL ? 0 : atoi(text);
}

/// Reads one parameter after the other: of two that are written together, the later look finds no earlier number.
static void *look(void *directory) {
  int round;
  while ((round = __atomic_load_n(&written, __ATOMIC_SEQ_CST)) != 0) {
    char name[16];
    int first = number("First");
    expect(number("Second") >= first, "the second one is older");
    int second = number("Second");
    expect(number("First") >= second, "the first one is older");
    if (directory != NULL) continue;
    // It comes into the cache with this look, or with the writing.
    snprintf(name, sizeof name, "New%d", round);
    int new = number(name);
    expect(number("First") >= new, "the first one is older than a new one");
  }
  return NULL;
}

/// Writes parameters together, by the function or as another process does, while a thread looks at them.
static int run_together(char *directory) {
  pthread_t thread;
  char file[4096], other[4096];
  if (directory != NULL) {
    snprintf(file, sizeof file, "%s/Together.plist", directory);
    snprintf(other, sizeof other, "%s/other", directory);
  }
  // Those that are in the cache are looked at.
  NXDefaultsVector vector = {{"First", "0"}, {"Second", "0"}, {NULL, NULL}};
  expect(NXWriteDefaults("Together", vector) == 2, "write at first");
  written = 1;
  if (pthread_create(&thread, NULL, look, directory) != 0) return -1;
  for (int round = 1; round <= 300; round += 1) {
    char value[16], name[16];
    snprintf(value, sizeof value, "%d", round);
    snprintf(name, sizeof name, "New%d", round);
    __atomic_store_n(&written, round, __ATOMIC_SEQ_CST);
    if (directory == NULL) {
      NXDefaultsVector vector = {{"First", value}, {"Second", value}, {name, value}, {NULL, NULL}};
      expect(NXWriteDefaults("Together", vector) == 3, "write");
    } else {
      FILE *stream = fopen(other, "w");
      if (stream == NULL) return -1;
      fprintf(stream, "{\n    First = %s;\n    Second = %s;\n}\n", value, value);
      fclose(stream);
      if (rename(other, file) != 0) return -1;
      NXUpdateDefaults();
    }
  }
  __atomic_store_n(&written, 0, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  expect(number("First") == 300 && number("Second") == 300, "the last ones did not arrive");
  return failures;
}

static void perform(char **fields, int count) {
  const char *verb = fields[0];
  const char *owner = count > 1 ? fields[1] : NULL;
  const char *name = count > 2 ? fields[2] : NULL;
  const char *value = count > 3 ? fields[3] : NULL;
  static const char *held = NULL;
  if (strncmp(verb, "standard-", 9) == 0 && standard == NULL) osd_open_standard(&standard);
  if (strcmp(verb, "example") == 0) {
    printf("%d\n", NXRegisterDefaults("WriteNow", write_now_defaults));
  } else if (strcmp(verb, "register") == 0) {
    printf("%d\n", NXRegisterDefaults(owner, make_vector(fields + 2, count - 2)));
  } else if (strcmp(verb, "register-null") == 0) {
    printf("%d\n", NXRegisterDefaults(owner, NULL));
  } else if (strcmp(verb, "get") == 0) {
    show(NXGetDefaultValue(owner, name));
  } else if (strcmp(verb, "set") == 0) {
    printf("%d\n", NXSetDefault(owner, name, value));
  } else if (strcmp(verb, "write") == 0) {
    printf("%d\n", NXWriteDefault(owner, name, value));
  } else if (strcmp(verb, "write-vector") == 0) {
    printf("%d\n", NXWriteDefaults(owner, make_vector(fields + 2, count - 2)));
  } else if (strcmp(verb, "write-null") == 0) {
    printf("%d\n", NXWriteDefaults(owner, NULL));
  } else if (strcmp(verb, "remove") == 0) {
    printf("%d\n", NXRemoveDefault(owner, name));
  } else if (strcmp(verb, "read") == 0) {
    show(NXReadDefault(owner, name));
  } else if (strcmp(verb, "update") == 0) {
    show(NXUpdateDefault(owner, name));
  } else if (strcmp(verb, "update-all") == 0) {
    NXUpdateDefaults();
    puts("done");
  } else if (strcmp(verb, "user") == 0) {
    show(NXSetDefaultsUser(owner));
  } else if (strcmp(verb, "hold") == 0) {
    held = NXGetDefaultValue(owner, name);
    show(held);
  } else if (strcmp(verb, "held") == 0) {
    show(held);
  } else if (strcmp(verb, "is-held") == 0) {
    printf("%d\n", held == NXGetDefaultValue(owner, name));
  } else if (strcmp(verb, "standard-get") == 0) {
    char *text = NULL;
    osd_copy_string(standard, owner, &text, NULL);
    show(text);
    osd_free(text);
  } else if (strcmp(verb, "standard-set") == 0) {
    printf("%d\n", osd_set_string(standard, owner, name));
  } else if (strcmp(verb, "standard-set-list") == 0) {
    printf("%d\n", osd_set_property_list(standard, owner, name));
  } else if (strcmp(verb, "standard-synchronize") == 0) {
    printf("%d\n", osd_synchronize(standard));
  } else if (strcmp(verb, "error") == 0) {
    show(osd_error_message());
  } else if (strcmp(verb, "threads") == 0) {
    printf("%d\n", run_threads());
  } else if (strcmp(verb, "together") == 0) {
    printf("%d\n", run_together(count > 1 ? fields[1] : NULL));
  } else {
    printf("no such verb: %s\n", verb);
  }
  // The tests wait for each line.
  fflush(stdout);
}

int main(void) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  while ((length = getline(&line, &size, stdin)) > 0) {
    if (line[length - 1] == '\n') line[length - 1] = 0;
    char *fields[maximum_fields];
    int count = 0;
    char *rest = line;
    while (rest != NULL && count < maximum_fields) {
      char *next = strchr(rest, '\t');
      if (next != NULL) *next++ = 0;
      fields[count++] = strcmp(rest, "\\N") == 0 ? NULL : rest;
      rest = next;
    }
    perform(fields, count);
  }
  osd_close(standard);
  free(line);
  return 0;
}
