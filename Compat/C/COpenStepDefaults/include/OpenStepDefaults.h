#ifndef OPENSTEP_DEFAULTS_H
#define OPENSTEP_DEFAULTS_H

/// The defaults system for C, C++ and every language that can call C.
///
/// A program's C, Objective-C and Swift parts share one engine: a value that one part sets is what the others
/// read, at once, and all promises of the Swift classes hold. A handle from osd_open_standard() is the
/// object that Swift's `NSUserDefaults.standardUserDefaults()` gives.
///
/// Rules for every function:
///
/// - Status. A function returns OSD_OK, or says why not. After OSD_BAD_ARGUMENT and OSD_FAILED nothing is
///   changed (but see osd_synchronize()), and osd_error_message() has a sentence for the calling thread.
///   Results are written to the `out_` arguments; without OSD_OK they are 0, false or NULL. An `out_` argument
///   that is NULL is OSD_BAD_ARGUMENT, except where it says “may be NULL”.
/// - Text. Every text is UTF-8 and ends with NUL; text that is no UTF-8, and NULL where the function does not
///   name it, is OSD_BAD_ARGUMENT. A key is not empty.
/// - Ownership. What a function named `copy` gives belongs to the caller, which frees it by one call of
///   osd_free() (or of free()); a list of texts is one block. Arguments are copied: they belong to the caller.
/// - Threads. Every function may be called by any thread, also with one handle by many threads at once. A
///   handle must not be used after its osd_close(), nor an observation after its osd_end_observation(). In the
///   child of a fork() no function may be called before exec(). A thread needs a stack of 256 kilobytes, for
///   values that are nested deeply. A thread must not be cancelled by pthread_cancel() inside of a function, whose
///   locks it would keep; nor must a signal handler call one, or exit(). The library has threads of its own: a
///   process ends when main() returns or exit() is called, and not when main() calls pthread_exit().

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a call.
typedef enum osd_status {
  /// The call did what it says.
  OSD_OK = 0,
  /// There is no such value, or it is of another kind. No error: there is no message.
  OSD_ABSENT = 1,
  /// An argument cannot be used: NULL, no UTF-8, an empty key, a text that is no property list.
  OSD_BAD_ARGUMENT = 2,
  /// The database, a file or a name was refused.
  OSD_FAILED = 3
} osd_status;

/// A user's defaults: a search list of domains in one database.
typedef struct osd_defaults osd_defaults;

/// An observer that was added.
typedef struct osd_observation osd_observation;

/// Called when what an observer observes has changed.
///
/// @param key The key; NULL from osd_observe_all(). It is valid during the call.
/// @param context The pointer that was given with the callback.
typedef void (*osd_callback)(const char *key, void *context);

/// Called once, when an observer's callback is not running and will not be called again.
typedef void (*osd_release)(void *context);

// MARK: - The library

/// The version of the library, such as `1.2.0`. The text is constant.
const char *osd_version(void);

/// Why the last call of this thread that did not return OSD_OK or OSD_ABSENT failed, as one line of UTF-8: what,
/// where, and what to do; empty before the first such call. Valid until the next call by this thread.
const char *osd_error_message(void);

/// Frees what a function named `copy` gave. NULL is allowed.
void osd_free(void *memory);

/// Names the program, and the names that it had before, the latest first, for every handle that is opened
/// without a name of its own; the application's domain is that of its name. It comes before all of those, in
/// whatever language; later it is OSD_FAILED.
///
/// @param former_names May be NULL if the count is 0.
osd_status osd_set_application_name(const char *name, const char *const *former_names,
                                    size_t former_name_count);

// MARK: - Handles

/// Opens the standard defaults of the current user, which the whole process shares: in the directory that the
/// variable OPENSTEP_DEFAULTS_DIR names, else in `.OpenStep/Defaults` in the home directory.
osd_status osd_open_standard(osd_defaults **out_defaults);

/// Opens a database in any directory, with the standard search list. The first save creates it.
///
/// @param application The name of the application's domain; NULL for the program's name.
osd_status osd_open_directory(const char *directory, const char *application, osd_defaults **out_defaults);

/// Opens another user's database, with the standard search list; the administrator's process uses only that
/// user's rights to files for it. OSD_FAILED for an unknown user, and if the database can be neither read nor
/// written. While a thread of the process works there, setuid(), setgroups() and functions like them wait in other
/// threads.
osd_status osd_open_user(const char *user, osd_defaults **out_defaults);

/// Opens domains that exist only in memory, for tests; each call makes new ones.
osd_status osd_open_memory(const char *application, osd_defaults **out_defaults);

/// Opens the current user's GNUstep database, as GNUstep's class does: with its search list, its formats, its
/// lock and its rules for numbers and truth values. The whole process shares it.
osd_status osd_open_gnustep_standard(osd_defaults **out_defaults);

/// Opens a GNUstep database in any directory, with GNUstep's standard search list.
///
/// @param directory NULL for the directory that GNUstep's configuration names.
/// @param application The name of the application's domain; NULL for the one that GNUstep gives it.
osd_status osd_open_gnustep(const char *directory, const char *application, osd_defaults **out_defaults);

/// Closes a handle. Changes stay, and are saved as if it were open; its observations go on. NULL is allowed.
void osd_close(osd_defaults *defaults);

// MARK: - Reading

/// Whether a lookup finds a value of any kind for a key: OSD_OK or OSD_ABSENT.
osd_status osd_has_value(osd_defaults *defaults, const char *key);

/// Reads a truth value by the rules of the handle's class. OSD_ABSENT if there is no value.
osd_status osd_get_bool(osd_defaults *defaults, const char *key, bool *out_value);

/// Reads a whole number; a number beyond 64 bits is the nearest limit. Of a number that the class stores as text,
/// the whole number at the text's beginning counts, as in OPENSTEP: of 1e+300 that is 1. OSD_ABSENT if there is no
/// value; a value that is no number is 0.
osd_status osd_get_integer(osd_defaults *defaults, const char *key, int64_t *out_value);

/// Reads a number in single precision. OSD_ABSENT if there is no value; a value that is no number is 0.
osd_status osd_get_float(osd_defaults *defaults, const char *key, float *out_value);

/// Reads a number in double precision. OSD_ABSENT if there is no value; a value that is no number is 0.
osd_status osd_get_double(osd_defaults *defaults, const char *key, double *out_value);

/// Copies a string; the caller frees the copy. OSD_ABSENT if there is no value, or one that is no string for the
/// handle's class.
///
/// @param out_length The number of bytes before the final NUL; a string may contain others. May be NULL.
osd_status osd_copy_string(osd_defaults *defaults, const char *key, char **out_string, size_t *out_length);

/// Copies the bytes of a data value; the caller frees the copy. OSD_ABSENT if there is no value, or one that is no
/// data.
osd_status osd_copy_data(osd_defaults *defaults, const char *key, void **out_bytes, size_t *out_length);

/// Copies an array of strings, as one block that ends with a NULL pointer; the caller frees the copy. OSD_ABSENT if
/// there is no value, or one that is anything but an array of strings; a string with a NUL inside is
/// OSD_FAILED.
///
/// @param out_count The number of strings. May be NULL.
osd_status osd_copy_string_array(osd_defaults *defaults, const char *key, char ***out_strings,
                                 size_t *out_count);

/// Copies a value of any kind as a text property list, which osd_set_property_list() takes; it ends with a line
/// break; the caller frees the copy. OSD_ABSENT if there is no value.
///
/// Numbers, truth values and dates have their types: in the form of a GNUstep handle (`<*I5>`), or else in a note
/// (`5 /*integer*/`), which also stands in a GNUstep handle's text where GNUstep's form cannot hold a date.
///
/// @param out_length The number of bytes before the final NUL. May be NULL.
osd_status osd_copy_property_list(osd_defaults *defaults, const char *key, char **out_text,
                                  size_t *out_length);

/// Copies all keys along the search list with the values that a lookup finds, as the text of a dictionary; the
/// caller frees the copy.
osd_status osd_copy_representation(osd_defaults *defaults, char **out_text, size_t *out_length);

// MARK: - Setting, in the application's domain

/// Sets a truth value.
osd_status osd_set_bool(osd_defaults *defaults, const char *key, bool value);

/// Sets a whole number.
osd_status osd_set_integer(osd_defaults *defaults, const char *key, int64_t value);

/// Sets a number in single precision.
osd_status osd_set_float(osd_defaults *defaults, const char *key, float value);

/// Sets a number in double precision.
osd_status osd_set_double(osd_defaults *defaults, const char *key, double value);

/// Sets a string.
osd_status osd_set_string(osd_defaults *defaults, const char *key, const char *value);

/// Sets data of at most 2^30 bytes. The bytes may be NULL if the length is 0.
osd_status osd_set_data(osd_defaults *defaults, const char *key, const void *bytes, size_t length);

/// Sets an array of strings. The list may be NULL if the count is 0.
osd_status osd_set_string_array(osd_defaults *defaults, const char *key, const char *const *strings,
                                size_t count);

/// Sets a value of any kind from the text of a property list, of OPENSTEP's, GNUstep's or XML's form. In a
/// database of OPENSTEP's numbers, truth values and dates become strings.
osd_status osd_set_property_list(osd_defaults *defaults, const char *key, const char *text);

/// Removes a key; a lookup may then find a value in another domain.
osd_status osd_remove(osd_defaults *defaults, const char *key);

/// Adds the entries of a dictionary's text to the registration domain, which is searched last.
osd_status osd_register(osd_defaults *defaults, const char *dictionary);

// MARK: - Domains

/// Copies the names of the domains that a lookup searches, front to back; the caller frees the copy.
osd_status osd_copy_search_list(osd_defaults *defaults, char ***out_names, size_t *out_count);

/// Sets the names of the domains to search, front to back. The list may be NULL if the count is 0. OPENSTEP's
/// class leaves out names without a domain, and GNUstep's keeps them.
osd_status osd_set_search_list(osd_defaults *defaults, const char *const *names, size_t count);

/// Adds a suite to the search list, right behind the application's domain.
osd_status osd_add_suite(osd_defaults *defaults, const char *name);

/// Removes a suite from the search list.
osd_status osd_remove_suite(osd_defaults *defaults, const char *name);

/// Copies the names of all persistent domains, sorted; the caller frees the copy.
osd_status osd_copy_persistent_domain_names(osd_defaults *defaults, char ***out_names, size_t *out_count);

/// Copies the names of all volatile domains, sorted; the caller frees the copy.
osd_status osd_copy_volatile_domain_names(osd_defaults *defaults, char ***out_names, size_t *out_count);

/// Copies a persistent domain as the text of a dictionary; the caller frees the copy. OSD_ABSENT if there is none of
/// that name.
osd_status osd_copy_persistent_domain(osd_defaults *defaults, const char *name, char **out_text,
                                      size_t *out_length);

/// Copies a volatile domain as the text of a dictionary; the caller frees the copy. OSD_ABSENT if there is none of
/// that name.
osd_status osd_copy_volatile_domain(osd_defaults *defaults, const char *name, char **out_text,
                                    size_t *out_length);

/// Makes a persistent domain from a dictionary's text. As in the classes, OPENSTEP's refuses a domain that has
/// keys already (OSD_FAILED), and GNUstep's replaces it.
osd_status osd_set_persistent_domain(osd_defaults *defaults, const char *name, const char *dictionary);

/// Makes a volatile domain from a dictionary's text. OSD_FAILED if a domain of that name exists.
osd_status osd_set_volatile_domain(osd_defaults *defaults, const char *name, const char *dictionary);

/// Removes a persistent domain with all its keys, if it exists.
osd_status osd_remove_persistent_domain(osd_defaults *defaults, const char *name);

/// Removes a volatile domain, if it exists; its name stays in the search list.
osd_status osd_remove_volatile_domain(osd_defaults *defaults, const char *name);

// MARK: - Files

/// Writes this process's changes and reads external ones. Changes are also saved without a call, soon after
/// they are made and at the process's normal end.
///
/// OSD_FAILED if something could not be written or read: all that could be was, and the rest of the changes is
/// kept for the next attempt. A damaged file alone is no failure; osd_copy_last_error() tells of it.
osd_status osd_synchronize(osd_defaults *defaults);

/// Copies the sentence about the database's last error; the caller frees the copy. OSD_ABSENT if its last access went
/// well.
osd_status osd_copy_last_error(osd_defaults *defaults, char **out_message);

// MARK: - Observing

/// Calls a function when a lookup finds another value for a key than before.
///
/// The thread that makes a change calls it before its own call returns; the thread that reads an external
/// change calls it too. Calls for one key come in the order of the changes: while another thread calls the
/// observers of a key, it makes the calls for later changes of the key too, and nobody waits for it. Changes
/// that threads make at the same time may be told by one call; the last value is always told. It may call any
/// function of this library; if it changes its own key, it is called inside its own call, at most 16 deep, and
/// for deeper changes after these calls.
///
/// @param context Given to each call; the library does not look at it.
/// @param release Called once after the last call, when the observation has ended: the place to free the
///   context. May be NULL. If this function returns an error, it is not called: the context is still the
///   caller's.
osd_status osd_observe(osd_defaults *defaults, const char *key, osd_callback callback, void *context,
                       osd_release release, osd_observation **out_observation);

/// Calls a function whenever the handle's object posts `NSUserDefaultsDidChangeNotification`: for the first
/// change after a synchronize, and for external changes that a synchronize has read. The arguments are those of
/// osd_observe().
osd_status osd_observe_all(osd_defaults *defaults, osd_callback callback, void *context, osd_release release,
                           osd_observation **out_observation);

/// Ends an observation. A call that another thread has begun may still be running when this returns; the
/// release function is called when it has ended. It may be called inside the callback. NULL is allowed.
void osd_end_observation(osd_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
