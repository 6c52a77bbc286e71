// A program that uses every function of OpenStepDefaults.h, right and wrong. It is C11 and C++17 alike.
//
// It prints each expectation that does not hold, and ends with 0 if all hold. Its argument is a directory of its
// own. It frees all that it gets, for valgrind.

#include <OpenStepDefaults.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("functions.c:%d: %s (%s)\n", __LINE__, #condition, osd_error_message());                       \
      failures++;                                                                                            \
    }                                                                                                        \
  } while (0)

/// Expects a status, and of a bad argument a sentence.
#define IS(status, call) EXPECT((call) == (status))
#define BAD(call)                                                                                            \
  do {                                                                                                       \
    IS(OSD_BAD_ARGUMENT, call);                                                                              \
    EXPECT(osd_error_message()[0] != 0);                                                                     \
  } while (0)

static const char *const not_utf8 = "\xff\xe9";

/// Whether a text that was copied is the expected one; frees it.
static int is_text(char *text, const char *expected) {
  int result = text && strcmp(text, expected) == 0;
  if (!result) printf("  found: %s\n", text ? text : "NULL");
  osd_free(text);
  return result;
}

/// Whether a list is the expected one, words with spaces between; frees it.
static int is_list(char **list, size_t count, const char *expected) {
  char joined[4096] = "";
  size_t n = 0;
  for (; list && list[n]; n++) {
    if (n) strcat(joined, " ");
    strcat(joined, list[n]);
  }
  int result = list && n == count && strcmp(joined, expected) == 0;
  if (!result) printf("  found %zu: %s\n", count, joined);
  osd_free(list);
  return result;
}

// MARK: - Observers

struct calls {
  int count;
  int released;
  char key[32];
  osd_defaults *defaults;
  int64_t seen;
  osd_observation *ends;
};

static void changed(const char *key, void *context) {
  struct calls *calls = (struct calls *)context;
  calls->count++;
  snprintf(calls->key, sizeof calls->key, "%s", key ? key : "(all)");
  // A callback may call the library.
  if (key) osd_get_integer(calls->defaults, key, &calls->seen);
  if (calls->ends) {
    osd_end_observation(calls->ends);
    calls->ends = NULL;
  }
}

static void released(void *context) { ((struct calls *)context)->released++; }

/// A release function that uses the library.
static void released_with_changes(void *context) {
  struct calls *calls = (struct calls *)context;
  IS(OSD_OK, osd_set_integer(calls->defaults, "released", 1));
  IS(OSD_OK, osd_synchronize(calls->defaults));
  calls->released++;
}

static void observers(void) {
  osd_defaults *d = NULL;
  IS(OSD_OK, osd_open_memory("App", &d));
  struct calls one = {0, 0, "", d, 0, NULL}, all = {0, 0, "", d, 0, NULL};
  osd_observation *first = NULL, *second = NULL;
  IS(OSD_OK, osd_observe(d, "k", changed, &one, released, &first));
  IS(OSD_OK, osd_observe_all(d, changed, &all, released, &second));
  IS(OSD_OK, osd_set_integer(d, "k", 5));
  EXPECT(one.count == 1 && strcmp(one.key, "k") == 0 && one.seen == 5);
  EXPECT(all.count == 1 && strcmp(all.key, "(all)") == 0);
  // A release function may call the library, too, which posts notifications.
  struct calls counted = {0, 0, "", d, 0, NULL}, changing = {0, 0, "", d, 0, NULL};
  osd_observation *counting = NULL, *third = NULL;
  IS(OSD_OK, osd_observe_all(d, changed, &counted, released, &counting));
  IS(OSD_OK, osd_observe_all(d, changed, &changing, released_with_changes, &third));
  // The first change after a synchronize posts.
  IS(OSD_OK, osd_synchronize(d));
  osd_end_observation(third);
  EXPECT(changing.released == 1);
  EXPECT(changing.count == 0);
  EXPECT(counted.count == 1);
  osd_end_observation(counting);
  IS(OSD_OK, osd_set_integer(d, "k", 5));
  IS(OSD_OK, osd_set_integer(d, "other", 5));
  EXPECT(one.count == 1);
  // What a lookup finds changes with other domains, too.
  IS(OSD_OK, osd_register(d, "{ k = 5; }"));
  EXPECT(one.count == 1);
  IS(OSD_OK, osd_remove(d, "k"));
  EXPECT(one.count == 1);
  IS(OSD_OK, osd_register(d, "{ k = 6; }"));
  EXPECT(one.count == 2 && one.seen == 6);
  IS(OSD_OK, osd_set_persistent_domain(d, "NSGlobalDomain", "{ k = 7; }"));
  EXPECT(one.count == 3 && one.seen == 7);
  const char *const names[] = {"NSRegistrationDomain"};
  IS(OSD_OK, osd_set_search_list(d, names, 1));
  EXPECT(one.count == 4 && one.seen == 6);
  // The global domain is searched no longer.
  IS(OSD_OK, osd_remove_persistent_domain(d, "NSGlobalDomain"));
  EXPECT(one.count == 4);
  IS(OSD_OK, osd_set_volatile_domain(d, "V", "{ k = 8; }"));
  IS(OSD_OK, osd_add_suite(d, "V"));
  EXPECT(one.count == 5 && one.seen == 8);
  IS(OSD_OK, osd_remove_suite(d, "V"));
  EXPECT(one.count == 6 && one.seen == 6);
  EXPECT(one.released == 0 && all.released == 0);
  osd_end_observation(first);
  osd_end_observation(second);
  EXPECT(one.released == 1 && all.released == 1);
  int count = one.count;
  IS(OSD_OK, osd_register(d, "{ k = 9; }"));
  EXPECT(one.count == count);
  // An observation may end in its own callback, and outlives the handle.
  struct calls last = {0, 0, "", d, 0, NULL};
  IS(OSD_OK, osd_observe(d, "k", changed, &last, released, &last.ends));
  IS(OSD_OK, osd_register(d, "{ k = 10; }"));
  EXPECT(last.count == 1 && last.released == 1);
  struct calls longer = {0, 0, "", d, 0, NULL};
  osd_observation *open = NULL;
  IS(OSD_OK, osd_observe(d, "k", changed, &longer, released, &open));
  osd_close(d);
  EXPECT(longer.released == 0);
  osd_end_observation(open);
  EXPECT(longer.released == 1);
  osd_end_observation(NULL);
}

// MARK: - Values

static void values(osd_defaults *d) {
  bool truth = false;
  int64_t whole = 1;
  float single = 1;
  double real = 1;
  char *text = NULL;
  void *bytes = NULL;
  char **list = NULL;
  size_t count = 1;

  IS(OSD_ABSENT, osd_has_value(d, "b"));
  IS(OSD_OK, osd_set_bool(d, "b", true));
  IS(OSD_OK, osd_has_value(d, "b"));
  IS(OSD_OK, osd_get_bool(d, "b", &truth));
  EXPECT(truth);
  IS(OSD_OK, osd_set_bool(d, "b", false));
  IS(OSD_OK, osd_get_bool(d, "b", &truth));
  EXPECT(!truth);
  truth = true;
  IS(OSD_ABSENT, osd_get_bool(d, "absent", &truth));
  EXPECT(!truth);

  const int64_t wholes[] = {0, 42, -1, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 5; i++) {
    IS(OSD_OK, osd_set_integer(d, "i", wholes[i]));
    IS(OSD_OK, osd_get_integer(d, "i", &whole));
    EXPECT(whole == wholes[i]);
  }
  IS(OSD_ABSENT, osd_get_integer(d, "absent", &whole));
  EXPECT(whole == 0);

  IS(OSD_OK, osd_set_float(d, "f", 0.1f));
  IS(OSD_OK, osd_get_float(d, "f", &single));
  EXPECT(single == 0.1f);
  IS(OSD_OK, osd_set_double(d, "d", 0.1));
  IS(OSD_OK, osd_get_double(d, "d", &real));
  EXPECT(real == 0.1);
  IS(OSD_OK, osd_set_double(d, "d", -0.0));
  IS(OSD_OK, osd_get_double(d, "d", &real));
  EXPECT(real == 0);
  IS(OSD_ABSENT, osd_get_double(d, "absent", &real));
  IS(OSD_ABSENT, osd_get_float(d, "absent", &single));
  EXPECT(real == 0 && single == 0);

  const char *name = "gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x91\x8b";
  IS(OSD_OK, osd_set_string(d, "s", name));
  IS(OSD_OK, osd_copy_string(d, "s", &text, &count));
  EXPECT(count == strlen(name));
  EXPECT(is_text(text, name));
  IS(OSD_OK, osd_copy_string(d, "s", &text, NULL));
  EXPECT(is_text(text, name));
  IS(OSD_OK, osd_set_string(d, "s", ""));
  IS(OSD_OK, osd_copy_string(d, "s", &text, &count));
  EXPECT(count == 0);
  EXPECT(is_text(text, ""));
  IS(OSD_ABSENT, osd_copy_string(d, "absent", &text, &count));
  EXPECT(text == NULL);

  const unsigned char data[] = {0, 1, 254, 255};
  IS(OSD_OK, osd_set_data(d, "x", data, sizeof data));
  IS(OSD_OK, osd_copy_data(d, "x", &bytes, &count));
  EXPECT(count == sizeof data && bytes && memcmp(bytes, data, count) == 0);
  osd_free(bytes);
  IS(OSD_OK, osd_set_data(d, "x", NULL, 0));
  IS(OSD_OK, osd_copy_data(d, "x", &bytes, &count));
  EXPECT(count == 0 && bytes);
  free(bytes);
  IS(OSD_ABSENT, osd_copy_data(d, "s", &bytes, &count));
  IS(OSD_ABSENT, osd_copy_data(d, "absent", &bytes, &count));

  const char *const words[] = {"one", "", "zw\xc3\xb6lf"};
  IS(OSD_OK, osd_set_string_array(d, "l", words, 3));
  IS(OSD_OK, osd_copy_string_array(d, "l", &list, &count));
  EXPECT(is_list(list, count, "one  zw\xc3\xb6lf"));
  IS(OSD_OK, osd_copy_string_array(d, "l", &list, NULL));
  EXPECT(is_list(list, 3, "one  zw\xc3\xb6lf"));
  IS(OSD_OK, osd_set_string_array(d, "l", NULL, 0));
  IS(OSD_OK, osd_copy_string_array(d, "l", &list, &count));
  EXPECT(is_list(list, count, ""));
  IS(OSD_ABSENT, osd_copy_string_array(d, "x", &list, &count));
  IS(OSD_ABSENT, osd_copy_string_array(d, "absent", &list, &count));

  // A string with NUL inside has a length, but is no element of a list.
  IS(OSD_OK, osd_set_property_list(d, "n", "(\"a\\U0000b\")"));
  IS(OSD_FAILED, osd_copy_string_array(d, "n", &list, &count));
  EXPECT(list == NULL && strstr(osd_error_message(), "NUL"));
  IS(OSD_OK, osd_set_property_list(d, "n", "\"a\\U0000b\""));
  IS(OSD_OK, osd_copy_string(d, "n", &text, &count));
  EXPECT(count == 3 && text && memcmp(text, "a\0b", 4) == 0);
  osd_free(text);

  IS(OSD_OK, osd_set_property_list(d, "p", "{ b = (1, <00ff>); a = \"two words\"; }"));
  IS(OSD_OK, osd_copy_property_list(d, "p", &text, &count));
  IS(OSD_OK, osd_set_property_list(d, "q", text));
  EXPECT(count == strlen(text));
  char *again = NULL;
  IS(OSD_OK, osd_copy_property_list(d, "q", &again, NULL));
  EXPECT(strstr(text, "two words") && strstr(text, "00ff"));
  EXPECT(is_text(again, text));
  osd_free(text);
  IS(OSD_OK, osd_set_property_list(d, "p", "<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>"));
  IS(OSD_OK, osd_copy_string_array(d, "p", &list, &count));
  EXPECT(is_list(list, count, ""));
  IS(OSD_ABSENT, osd_copy_property_list(d, "absent", &text, &count));

  IS(OSD_OK, osd_register(d, "{ registered = 7; i = 8; }"));
  IS(OSD_OK, osd_get_integer(d, "registered", &whole));
  EXPECT(whole == 7);
  IS(OSD_OK, osd_remove(d, "i"));
  IS(OSD_OK, osd_get_integer(d, "i", &whole));
  EXPECT(whole == 8);
  IS(OSD_OK, osd_copy_representation(d, &text, &count));
  EXPECT(strstr(text, "registered") && count == strlen(text));
  osd_free(text);
}

// MARK: - Domains

static void domains(osd_defaults *d) {
  char *text = NULL;
  char **list = NULL;
  size_t count = 0;
  IS(OSD_OK, osd_copy_persistent_domain_names(d, &list, &count));
  EXPECT(is_list(list, count, "App NSGlobalDomain"));
  IS(OSD_OK, osd_set_persistent_domain(d, "Suite", "{ k = suite; }"));
  IS(OSD_OK, osd_copy_persistent_domain(d, "Suite", &text, &count));
  EXPECT(strstr(text, "suite") && count == strlen(text));
  osd_free(text);
  // OPENSTEP's class fills no domain that has keys.
  IS(OSD_FAILED, osd_set_persistent_domain(d, "Suite", "{ k = other; }"));
  EXPECT(strstr(osd_error_message(), "Suite"));
  IS(OSD_OK, osd_add_suite(d, "Suite"));
  IS(OSD_OK, osd_copy_string(d, "k", &text, NULL));
  EXPECT(is_text(text, "suite"));
  IS(OSD_OK, osd_copy_search_list(d, &list, &count));
  EXPECT(count > 3 && list && strcmp(list[1], "App") == 0 && strcmp(list[2], "Suite") == 0);
  IS(OSD_OK, osd_set_search_list(d, (const char *const *)list + 2, 1));
  osd_free(list);
  IS(OSD_OK, osd_copy_search_list(d, &list, &count));
  EXPECT(is_list(list, count, "Suite"));
  IS(OSD_OK, osd_remove_suite(d, "Suite"));
  IS(OSD_OK, osd_copy_search_list(d, &list, &count));
  EXPECT(is_list(list, count, ""));
  IS(OSD_OK, osd_set_search_list(d, NULL, 0));
  IS(OSD_OK, osd_remove_persistent_domain(d, "Suite"));
  IS(OSD_ABSENT, osd_copy_persistent_domain(d, "Suite", &text, &count));
  IS(OSD_OK, osd_remove_persistent_domain(d, "Suite"));

  IS(OSD_OK, osd_set_volatile_domain(d, "V", "{ v = 1; }"));
  IS(OSD_FAILED, osd_set_volatile_domain(d, "V", "{ v = 2; }"));
  IS(OSD_FAILED, osd_set_persistent_domain(d, "V", "{ v = 2; }"));
  IS(OSD_OK, osd_copy_volatile_domain(d, "V", &text, NULL));
  EXPECT(strstr(text, "v = 1"));
  osd_free(text);
  IS(OSD_OK, osd_copy_volatile_domain_names(d, &list, &count));
  EXPECT(count >= 3 && list && strcmp(list[count - 1], "V") == 0);
  osd_free(list);
  IS(OSD_OK, osd_remove_volatile_domain(d, "V"));
  IS(OSD_ABSENT, osd_copy_volatile_domain(d, "V", &text, NULL));

  IS(OSD_OK, osd_synchronize(d));
  IS(OSD_ABSENT, osd_copy_last_error(d, &text));
}

// MARK: - Bad arguments

/// A dictionary, or an array, of 501 levels.
static char *deep(void) {
  char *text = (char *)malloc(1100);
  memset(text, '(', 501);
  memset(text + 501, ')', 501);
  text[1002] = 0;
  return text;
}

static void bad_arguments(osd_defaults *d) {
  bool truth;
  int64_t whole;
  float single;
  double real;
  char *text;
  void *bytes;
  char **list;
  size_t count;
  osd_defaults *other;
  osd_observation *observation;
  const char *const with_null[] = {"a", NULL};
  const char *const with_bytes[] = {"a", not_utf8};

  BAD(osd_open_standard(NULL));
  BAD(osd_open_gnustep_standard(NULL));
  BAD(osd_open_directory(NULL, "App", &other));
  EXPECT(other == NULL);
  BAD(osd_open_directory("", "App", &other));
  BAD(osd_open_directory(not_utf8, "App", &other));
  BAD(osd_open_directory("/tmp/none", not_utf8, &other));
  BAD(osd_open_directory("/tmp/none", "App", NULL));
  IS(OSD_FAILED, osd_open_directory("/tmp/none", "", &other));
  BAD(osd_open_user(NULL, &other));
  BAD(osd_open_user(not_utf8, &other));
  BAD(osd_open_user("root", NULL));
  IS(OSD_FAILED, osd_open_user("no such user", &other));
  EXPECT(other == NULL && strstr(osd_error_message(), "no such user"));
  BAD(osd_open_memory(NULL, &other));
  BAD(osd_open_memory(not_utf8, &other));
  BAD(osd_open_memory("App", NULL));
  IS(OSD_FAILED, osd_open_memory("", &other));
  BAD(osd_open_gnustep("", NULL, &other));
  BAD(osd_open_gnustep(not_utf8, NULL, &other));
  BAD(osd_open_gnustep("/tmp/none", not_utf8, &other));
  BAD(osd_open_gnustep("/tmp/none", "App", NULL));
  IS(OSD_FAILED, osd_open_gnustep("/tmp/none", "a/b", &other));
  BAD(osd_set_application_name(NULL, NULL, 0));
  BAD(osd_set_application_name(not_utf8, NULL, 0));
  BAD(osd_set_application_name("App", NULL, 1));
  BAD(osd_set_application_name("App", with_null, 2));
  BAD(osd_set_application_name("App", with_bytes, 2));
  BAD(osd_set_application_name("App", with_null, (size_t)-1));
  IS(OSD_FAILED, osd_set_application_name("", NULL, 0));

// A function of a handle and a key, then other arguments.
#define BAD_KEY(function, ...)                                                                               \
  BAD(function(NULL, "k", __VA_ARGS__));                                                                     \
  BAD(function(d, NULL, __VA_ARGS__));                                                                       \
  BAD(function(d, "", __VA_ARGS__));                                                                         \
  BAD(function(d, not_utf8, __VA_ARGS__))

  BAD(osd_has_value(NULL, "k"));
  BAD(osd_has_value(d, NULL));
  BAD(osd_has_value(d, ""));
  BAD(osd_has_value(d, not_utf8));
  BAD_KEY(osd_get_bool, &truth);
  BAD(osd_get_bool(d, "k", NULL));
  BAD_KEY(osd_get_integer, &whole);
  BAD(osd_get_integer(d, "k", NULL));
  BAD_KEY(osd_get_float, &single);
  BAD(osd_get_float(d, "k", NULL));
  BAD_KEY(osd_get_double, &real);
  BAD(osd_get_double(d, "k", NULL));
  BAD_KEY(osd_copy_string, &text, &count);
  BAD(osd_copy_string(d, "k", NULL, &count));
  BAD_KEY(osd_copy_data, &bytes, &count);
  BAD(osd_copy_data(d, "k", NULL, &count));
  BAD(osd_copy_data(d, "k", &bytes, NULL));
  BAD_KEY(osd_copy_string_array, &list, &count);
  BAD(osd_copy_string_array(d, "k", NULL, &count));
  BAD_KEY(osd_copy_property_list, &text, &count);
  BAD(osd_copy_property_list(d, "k", NULL, &count));
  BAD(osd_copy_representation(NULL, &text, &count));
  BAD(osd_copy_representation(d, NULL, &count));

  BAD_KEY(osd_set_bool, true);
  BAD_KEY(osd_set_integer, 1);
  BAD_KEY(osd_set_float, 1);
  BAD_KEY(osd_set_double, 1);
  BAD_KEY(osd_set_string, "v");
  BAD(osd_set_string(d, "k", NULL));
  BAD(osd_set_string(d, "k", not_utf8));
  BAD_KEY(osd_set_data, "v", 1);
  BAD(osd_set_data(d, "k", NULL, 1));
  BAD(osd_set_data(d, "k", "v", (size_t)-1));
  BAD(osd_set_data(d, "k", "v", (size_t)1 << 62));
  BAD_KEY(osd_set_string_array, with_null, 1);
  BAD(osd_set_string_array(d, "k", NULL, 1));
  BAD(osd_set_string_array(d, "k", with_null, 2));
  BAD(osd_set_string_array(d, "k", with_bytes, 2));
  BAD(osd_set_string_array(d, "k", with_bytes, (size_t)-1));
  BAD_KEY(osd_set_property_list, "v");
  BAD(osd_set_property_list(d, "k", NULL));
  BAD(osd_set_property_list(d, "k", not_utf8));
  BAD(osd_set_property_list(d, "k", "{ a = "));
  EXPECT(strstr(osd_error_message(), "1:"));
  BAD(osd_set_property_list(d, "k", ""));
  BAD(osd_set_property_list(d, "k", "<?xml version=\"1.0\"?><plist><dict>"));
  char *levels = deep();
  BAD(osd_set_property_list(d, "k", levels));
  free(levels);
  BAD(osd_remove(NULL, "k"));
  BAD(osd_remove(d, NULL));
  BAD(osd_remove(d, ""));
  BAD(osd_remove(d, not_utf8));
  BAD(osd_register(NULL, "{}"));
  BAD(osd_register(d, NULL));
  BAD(osd_register(d, not_utf8));
  BAD(osd_register(d, "word"));
  BAD(osd_register(d, "{"));

  BAD(osd_copy_search_list(NULL, &list, &count));
  BAD(osd_copy_search_list(d, NULL, &count));
  BAD(osd_set_search_list(NULL, with_null, 1));
  BAD(osd_set_search_list(d, NULL, 1));
  BAD(osd_set_search_list(d, with_null, 2));
  BAD(osd_set_search_list(d, with_bytes, 2));
  BAD(osd_set_search_list(d, with_bytes, (size_t)-1));
  BAD(osd_copy_persistent_domain_names(NULL, &list, &count));
  BAD(osd_copy_persistent_domain_names(d, NULL, &count));
  BAD(osd_copy_volatile_domain_names(NULL, &list, &count));
  BAD(osd_copy_volatile_domain_names(d, NULL, &count));

// A function of a handle and a name.
#define BAD_NAME(function)                                                                                   \
  BAD(function(NULL, "D"));                                                                                  \
  BAD(function(d, NULL));                                                                                    \
  BAD(function(d, ""));                                                                                      \
  BAD(function(d, not_utf8))

  BAD_NAME(osd_add_suite);
  BAD_NAME(osd_remove_suite);
  BAD_NAME(osd_remove_persistent_domain);
  BAD_NAME(osd_remove_volatile_domain);
  BAD(osd_copy_persistent_domain(NULL, "D", &text, &count));
  BAD(osd_copy_persistent_domain(d, NULL, &text, &count));
  BAD(osd_copy_persistent_domain(d, not_utf8, &text, &count));
  BAD(osd_copy_persistent_domain(d, "D", NULL, &count));
  BAD(osd_copy_volatile_domain(NULL, "D", &text, &count));
  BAD(osd_copy_volatile_domain(d, NULL, &text, &count));
  BAD(osd_copy_volatile_domain(d, not_utf8, &text, &count));
  BAD(osd_copy_volatile_domain(d, "D", NULL, &count));
  BAD_KEY(osd_set_persistent_domain, "{}");
  BAD(osd_set_persistent_domain(d, "D", NULL));
  BAD(osd_set_persistent_domain(d, "D", "word"));
  BAD(osd_set_persistent_domain(d, "D", not_utf8));
  BAD_KEY(osd_set_volatile_domain, "{}");
  BAD(osd_set_volatile_domain(d, "D", NULL));
  BAD(osd_set_volatile_domain(d, "D", "word"));
  BAD(osd_set_volatile_domain(d, "D", not_utf8));
  BAD(osd_synchronize(NULL));
  BAD(osd_copy_last_error(NULL, &text));
  BAD(osd_copy_last_error(d, NULL));

  BAD(osd_observe(NULL, "k", changed, NULL, NULL, &observation));
  BAD(osd_observe(d, NULL, changed, NULL, NULL, &observation));
  BAD(osd_observe(d, "", changed, NULL, NULL, &observation));
  BAD(osd_observe(d, not_utf8, changed, NULL, NULL, &observation));
  BAD(osd_observe(d, "k", NULL, NULL, NULL, &observation));
  EXPECT(observation == NULL);
  BAD(osd_observe(d, "k", changed, NULL, NULL, NULL));
  BAD(osd_observe_all(NULL, changed, NULL, NULL, &observation));
  BAD(osd_observe_all(d, NULL, NULL, NULL, &observation));
  BAD(osd_observe_all(d, changed, NULL, NULL, NULL));

  // The context of an observation that was refused is still the caller's.
  struct calls refused = {0, 0, "", d, 0, NULL};
  BAD(osd_observe(NULL, "k", changed, &refused, released, &observation));
  BAD(osd_observe(d, NULL, changed, &refused, released, &observation));
  BAD(osd_observe(d, "", changed, &refused, released, &observation));
  BAD(osd_observe(d, not_utf8, changed, &refused, released, &observation));
  BAD(osd_observe(d, "k", NULL, &refused, released, &observation));
  BAD(osd_observe(d, "k", changed, &refused, released, NULL));
  BAD(osd_observe_all(NULL, changed, &refused, released, &observation));
  BAD(osd_observe_all(d, NULL, &refused, released, &observation));
  BAD(osd_observe_all(d, changed, &refused, released, NULL));
  EXPECT(refused.released == 0 && refused.count == 0);

  // A result is cleared also if the place for the other one is refused.
#define CLEARED(call) (count = 7, (call) == OSD_BAD_ARGUMENT && count == 0)
  EXPECT(CLEARED(osd_copy_string(d, "k", NULL, &count)));
  EXPECT(CLEARED(osd_copy_data(d, "k", NULL, &count)));
  bytes = &count;
  BAD(osd_copy_data(d, "k", &bytes, NULL));
  EXPECT(bytes == NULL);
  EXPECT(CLEARED(osd_copy_string_array(d, "k", NULL, &count)));
  EXPECT(CLEARED(osd_copy_property_list(d, "k", NULL, &count)));
  EXPECT(CLEARED(osd_copy_representation(d, NULL, &count)));

  // Nothing was changed.
  IS(OSD_ABSENT, osd_has_value(d, "k"));
  IS(OSD_ABSENT, osd_copy_persistent_domain(d, "D", &text, &count));
  osd_close(NULL);
  osd_free(NULL);
}

// MARK: - Databases

static void databases(const char *directory) {
  osd_defaults *one = NULL, *two = NULL, *gnustep = NULL, *refused = NULL;
  int64_t whole = 0;
  char *text = NULL;
  char **list = NULL;
  size_t count = 0;
  char path[4096];

  // Two handles of one directory share its domains at once.
  snprintf(path, sizeof path, "%s/Defaults", directory);
  IS(OSD_OK, osd_open_directory(path, "App", &one));
  IS(OSD_OK, osd_open_directory(path, "App", &two));
  IS(OSD_OK, osd_set_integer(one, "shared", 3));
  IS(OSD_OK, osd_get_integer(two, "shared", &whole));
  EXPECT(whole == 3);
  IS(OSD_OK, osd_synchronize(two));
  osd_close(one);
  IS(OSD_OK, osd_get_integer(two, "shared", &whole));
  EXPECT(whole == 3);
  osd_close(two);

  // GNUstep's keeps the types of values.
  snprintf(path, sizeof path, "%s/GNUstep", directory);
  IS(OSD_OK, osd_open_gnustep(path, "App", &gnustep));
  IS(OSD_OK, osd_set_integer(gnustep, "i", 5));
  IS(OSD_ABSENT, osd_copy_string(gnustep, "i", &text, NULL));
  IS(OSD_OK, osd_copy_property_list(gnustep, "i", &text, NULL));
  EXPECT(is_text(text, "<*I5>\n"));
  IS(OSD_OK, osd_set_property_list(gnustep, "d", "<*D2026-11-22 10:00:00 +0000>"));
  IS(OSD_ABSENT, osd_copy_string(gnustep, "d", &text, NULL));
  IS(OSD_OK, osd_copy_search_list(gnustep, &list, &count));
  EXPECT(count > 3 && list && strcmp(list[0], "GSPrimaryDomain") == 0);
  osd_free(list);
  IS(OSD_OK, osd_set_persistent_domain(gnustep, "Other", "{ a = 1; }"));
  IS(OSD_OK, osd_set_persistent_domain(gnustep, "Other", "{ a = 2; }"));
  IS(OSD_OK, osd_set_volatile_domain(gnustep, "V", "{ a = 2; }"));
  IS(OSD_FAILED, osd_set_persistent_domain(gnustep, "V", "{ a = 2; }"));
  IS(OSD_FAILED, osd_set_persistent_domain(gnustep, "a/b", "{ a = 2; }"));
  IS(OSD_OK, osd_synchronize(gnustep));
  osd_close(gnustep);

  // A directory that cannot be made: the change is kept, and the error told.
  IS(OSD_OK, osd_open_directory("/dev/null/Defaults", "App", &refused));
  IS(OSD_OK, osd_set_integer(refused, "k", 1));
  IS(OSD_FAILED, osd_synchronize(refused));
  EXPECT(strstr(osd_error_message(), "/dev/null"));
  IS(OSD_OK, osd_copy_last_error(refused, &text));
  EXPECT(text && strstr(text, "/dev/null"));
  osd_free(text);
  IS(OSD_OK, osd_get_integer(refused, "k", &whole));
  EXPECT(whole == 1);
  IS(OSD_OK, osd_remove_persistent_domain(refused, "App"));
  osd_close(refused);

  // The shared objects: one for all handles.
  IS(OSD_OK, osd_open_standard(&one));
  IS(OSD_OK, osd_open_standard(&two));
  IS(OSD_OK, osd_register(one, "{ both = 1; }"));
  IS(OSD_OK, osd_get_integer(two, "both", &whole));
  EXPECT(whole == 1);
  IS(OSD_OK, osd_copy_search_list(one, &list, &count));
  EXPECT(count > 1 && list && strcmp(list[1], "Named") == 0);
  osd_free(list);
  IS(OSD_FAILED, osd_set_application_name("Late", NULL, 0));
  osd_close(one);
  osd_close(two);
  IS(OSD_OK, osd_open_gnustep_standard(&one));
  IS(OSD_OK, osd_set_integer(one, "k", 1));
  IS(OSD_OK, osd_synchronize(one));
  osd_close(one);
  IS(OSD_OK, osd_open_gnustep(NULL, NULL, &one));
  IS(OSD_OK, osd_get_integer(one, "k", &whole));
  EXPECT(whole == 1);
  osd_close(one);
  IS(OSD_OK, osd_open_user("root", &one));
  osd_close(one);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  EXPECT(strcmp(osd_error_message(), "") == 0);
  EXPECT(strchr(osd_version(), '.') != NULL);
  const char *const former[] = {"Former"};
  IS(OSD_OK, osd_set_application_name("Named", former, 1));
  osd_defaults *d = NULL;
  IS(OSD_OK, osd_open_memory("App", &d));
  bad_arguments(d);
  values(d);
  domains(d);
  osd_close(d);
  observers();
  databases(argv[1]);
  return failures ? 1 : 0;
}
