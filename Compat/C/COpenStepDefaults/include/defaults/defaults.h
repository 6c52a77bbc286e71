#ifndef OPENSTEP_DEFAULTS_NX_H
#define OPENSTEP_DEFAULTS_NX_H

/** NeXT's functions of NEXTSTEP 2 and 3 for default parameters, for programs that still call them.
 *
 * A parameter has an owner, a name and a value, all of them text. The owner is a domain of the current user's
 * database, the one that `NSUserDefaults` uses: `GLOBAL` is `NSGlobalDomain`, the owner of what all programs
 * share; any other owner is the domain of that name. The process keeps parameters in a cache, from which
 * NXGetDefaultValue() answers. What the functions do is what NEXTSTEP's General Reference says: chapter 3,
 * “Common Classes and Functions”, NXRegisterDefaults(); appendix B, “Default Parameters”; and the manual page
 * dwrite(1).
 *
 * Rules for every function, where those texts are silent:
 *
 * - Text. Every text is UTF-8 and ends with NUL. An owner or a name that is NULL, empty or no UTF-8 makes the
 *   call fail: it returns 0 or NULL and changes nothing. So does an owner whose file's name would be longer
 *   than 249 bytes. After a failure osd_error_message() of OpenStepDefaults.h says why.
 * - Values. A number, truth value or date in the database is given as its text (`42`, `YES`), data, an array
 *   or a dictionary as the text of a property list in one line. A string with a NUL inside is not found.
 * - Ownership. A text that a function returns stays valid and unchanged until the process ends; it must not
 *   be freed. The library keeps one copy of each different text that it has returned. Arguments are copied.
 * - Reading. The functions that look into the database read a file again that another process has changed,
 *   and find changes of this process that are not saved yet.
 * - Threads. Every function may be called by any thread, at any time, except in the child of a fork() before
 *   exec(), and by several at once. A text stays valid while another thread changes the parameter.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter's name and value. */
struct _NXDefault {
  /** The name; NULL in the entry that ends a vector. */
  char *name;
  /** The value; NULL for none. */
  char *value;
};

/** Parameters of one owner. An entry whose name is NULL ends it. */
typedef struct _NXDefault NXDefaultsVector[];

/** Puts a value for each parameter of a vector into the cache, whatever the cache has for it.
 *
 * The value is the first of these: that of the command line (`-Name value`); the owner's in the database;
 * GLOBAL's in the database; the vector's. Call it before any value is asked for. A parameter that has none of
 * these is not put into the cache.
 *
 * @return 1; 0 if the database cannot be read (then the values of the command line, of the vector, and those
 *   that were read before are in the cache), or if an argument cannot be used. The good entries of a vector
 *   are registered if another one is bad.
 */
int NXRegisterDefaults(const char *owner, const NXDefaultsVector vector);

/** Finds a parameter's value: in the cache; else the owner's in the database; else GLOBAL's in the cache;
 * else GLOBAL's in the database. A value that was found in the database is in the cache then.
 *
 * The command line counts only for registered parameters.
 *
 * @return The value, or NULL if there is none.
 */
const char *NXGetDefaultValue(const char *owner, const char *name);

/** Sets a parameter's value in the cache, and so for this process only.
 *
 * @return 1; 0 if an argument cannot be used. The value must not be NULL.
 */
int NXSetDefault(const char *owner, const char *name, const char *value);

/** Writes a parameter into the database, and puts it into the cache. The file is saved when the call returns.
 *
 * @return 1; 0 if an argument cannot be used (the value must not be NULL), or if the file could not be
 *   written. In the latter case this process has the new value, and tries again to save it.
 */
int NXWriteDefault(const char *owner, const char *name, const char *value);

/** Writes all parameters of a vector into the database with one save, and puts them into the cache.
 *
 * No reader of the file or of the cache sees some of them without the others. Faster than a call of
 * NXWriteDefault() for each.
 *
 * @return How many entries were written: those with a name and a value that can be used; 0 if the file could
 *   not be written, as for NXWriteDefault(). If two have the same name, the last one counts.
 */
int NXWriteDefaults(const char *owner, NXDefaultsVector vector);

/** Removes a parameter from the database and from the cache. The file is saved when the call returns.
 *
 * @return 1, also if there was no such parameter; 0 if an argument cannot be used, or if the file could not
 *   be written, as for NXWriteDefault().
 */
int NXRemoveDefault(const char *owner, const char *name);

/** Reads a parameter's value in the database, and neither asks nor changes the cache. Another owner's value,
 * such as GLOBAL's, is not looked for.
 *
 * @return The value, or NULL if there is none.
 */
const char *NXReadDefault(const char *owner, const char *name);

/** Does for all parameters in the cache what NXUpdateDefault() does for one; for those of an owner at one moment, so that
 * no thread sees some of them as another process has written them with one save, and the others as they were before.
 *
 * Other threads wait as long as that takes, in proportion to the number of the owner's parameters. */
void NXUpdateDefaults(void);

/** Puts a parameter's value in the database into the cache, if it is newer than what the cache has: if the
 * database has another value for the owner than when the parameter came into the cache.
 *
 * For a parameter whose value is GLOBAL's, GLOBAL's counts as well. A newer value takes the place of one from
 * the command line or from NXSetDefault(). A parameter that was removed from the database stays in the cache.
 *
 * @return The new value; NULL if it is what the cache had, and for a parameter that is not in the cache.
 */
const char *NXUpdateDefault(const char *owner, const char *name);

/** Makes the other functions use another user's database, and empties the cache.
 *
 * The administrator's process uses only that user's rights to files for it. The name of the process's own
 * user leads back to the database of the start.
 *
 * @return The name of the user whose database was used before; NULL, with nothing changed, for an unknown
 *   user, and if the database can be neither read nor written.
 */
const char *NXSetDefaultsUser(const char *newUser);

#ifdef __cplusplus
}
#endif

#endif
