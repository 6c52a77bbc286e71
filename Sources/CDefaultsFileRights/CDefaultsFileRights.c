#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CDefaultsFileRights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

// Older 32-bit architectures have separate calls for user and group numbers of 32 bits.
#if defined(SYS_setgroups32)
#define CALL_SETGROUPS SYS_setgroups32
#define CALL_SETFSUID SYS_setfsuid32
#define CALL_SETFSGID SYS_setfsgid32
#else
#define CALL_SETGROUPS SYS_setgroups
#define CALL_SETFSUID SYS_setfsuid
#define CALL_SETFSGID SYS_setfsgid
#endif

// How many times the thread has taken rights and not given them back.
static _Thread_local int taken = 0;

// Both calls report no error; with an invalid number they change nothing, and return the present one.
static uid_t filesystem_user(void) { return (uid_t)syscall(CALL_SETFSUID, (uid_t)-1); }
static gid_t filesystem_group(void) { return (gid_t)syscall(CALL_SETFSGID, (gid_t)-1); }

// The kernel's structures, whose headers some C libraries lack.
struct capability_header { uint32_t version; int process; };
struct capability_sets { uint32_t effective, permitted, inheritable; };

/// Reads the thread's capability sets.
static int capabilities(struct capability_sets *sets) {
  struct capability_header header = {0x20080522, 0};
  return (int)syscall(SYS_capget, &header, sets);
}

/// Makes these capabilities effective, as far as they are permitted, and no others.
static int set_effective_capabilities(const uint32_t *effective) {
  struct capability_header header = {0x20080522, 0};
  struct capability_sets sets[2] = {{0, 0, 0}, {0, 0, 0}};
  if (capabilities(sets) != 0) return -1;
  for (int index = 0; index < 2; index++) sets[index].effective = effective[index] & sets[index].permitted;
  return (int)syscall(SYS_capset, &header, sets);
}

/// CAP_SETGID and CAP_SETUID, which remain permitted, but not effective, in a thread that has taken rights.
static const uint32_t to_change_rights[2] = {1u << 6 | 1u << 7, 0};

/// Whether the thread can still bypass the permissions of files, as with the secure bit that keeps
/// capabilities when the user changes; true also if that is unknown.
static int has_file_capabilities(void) {
  struct capability_sets sets[2] = {{0, 0, 0}, {0, 0, 0}};
  if (capabilities(sets) != 0) return 1;
  // CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID; LINUX_IMMUTABLE; MKNOD; MAC_OVERRIDE, whose number
  // is 32.
  const uint32_t low = 0x1F | 1u << 9 | 1u << 27;
  return (sets[0].effective & low) != 0 || (sets[1].effective & 1) != 0;
}

int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved) {
  struct capability_sets sets[2] = {{0, 0, 0}, {0, 0, 0}};
  if (capabilities(sets) != 0) return errno;
  int old_count = getgroups(0, NULL);
  if (old_count < 0) return errno;
  gid_t *old_groups = malloc(sizeof(gid_t) * (size_t)(old_count + 1));
  if (old_groups == NULL) return ENOMEM;
  old_count = getgroups(old_count, old_groups);
  if (old_count < 0) {
    int code = errno;
    free(old_groups);
    return code;
  }
  *saved = (struct cfilerights_saved){filesystem_user(), filesystem_group(), old_count, old_groups,
      {sets[0].effective, sets[1].effective}};
  if (taken > 0) set_effective_capabilities(to_change_rights);
  if (syscall(CALL_SETGROUPS, (size_t)count, groups) != 0) {
    int code = errno;
    set_effective_capabilities(saved->effective);
    free(old_groups);
    return code;
  }
  syscall(CALL_SETFSGID, group);
  syscall(CALL_SETFSUID, user);
  // Last, because the calls above need capabilities. The kernel itself drops only those that concern
  // permissions of files; with the others, such as CAP_SYS_PTRACE, links in /proc lead to files that the user
  // cannot reach.
  const uint32_t none[2] = {0, 0};
  int is_bare = set_effective_capabilities(none) == 0;
  taken += 1;
  if (is_bare && filesystem_user() == user && filesystem_group() == group && !has_file_capabilities()) return 0;
  cfilerights_give_back(saved);
  return EPERM;
}

void cfilerights_give_back(struct cfilerights_saved *saved) {
  taken -= 1;
  set_effective_capabilities(to_change_rights);
  syscall(CALL_SETFSUID, saved->user);
  syscall(CALL_SETFSGID, saved->group);
  // Before the saved capabilities, which are none where these rights were taken inside others. The thread is
  // permitted to do this.
  syscall(CALL_SETGROUPS, (size_t)saved->count, saved->groups);
  set_effective_capabilities(saved->effective);
  free(saved->groups);
  saved->groups = NULL;
}

// The kernel's structure and call number, which older headers lack.
struct open_how_of_kernel { uint64_t flags, mode, resolve; };
#if !defined(SYS_openat2)
#define SYS_openat2 437
#endif
#define NO_MAGIC_LINKS 0x02

int cfilerights_are_taken(void) { return taken > 0; }

int cfilerights_open(const char *path, int flags, unsigned int mode) {
  if (taken == 0) return open(path, flags, (mode_t)mode);
  struct open_how_of_kernel how = {
      (uint64_t)(unsigned int)flags, (flags & O_CREAT) != 0 ? mode & 07777 : 0, NO_MAGIC_LINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int cfilerights_open_parent(const char *path, const char **name) {
  *name = path;
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end -= 1;
  while (end > 0 && path[end - 1] != '/') end -= 1;
  // A path without a directory leads through no link.
  if (taken == 0 || end == 0) return AT_FDCWD;
  char *parent = strndup(path, end);
  if (parent == NULL) return -1;
  int descriptor = cfilerights_open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  int code = errno;
  free(parent);
  errno = code;
  if (descriptor >= 0) *name = path + end;
  return descriptor;
}

int cfilerights_open_end(const char *path, const char **name, int *flags) {
  *name = taken == 0 ? path : "";
  *flags = taken == 0 ? 0 : AT_EMPTY_PATH;
  return taken == 0 ? AT_FDCWD : cfilerights_open(path, O_PATH | O_CLOEXEC, 0);
}

/// The attribute with a file's access control list.
static const char access_list[] = "system.posix_acl_access";

int cfilerights_has_access_list(const char *path) {
  return getxattr(path, access_list, NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

int cfilerights_copy_access_list(int from, int to) {
  ssize_t size = fgetxattr(from, access_list, NULL, 0);
  if (size < 0) {
    if (errno != ENODATA && errno != ENOTSUP) return errno;
    // The file has one already if it was made in a directory with a list for new files.
    int is_gone = fremovexattr(to, access_list) == 0 || errno == ENODATA || errno == ENOTSUP;
    return is_gone ? 0 : errno;
  }
  char *list = malloc((size_t)size + 1);
  if (list == NULL) return ENOMEM;
  size = fgetxattr(from, access_list, list, (size_t)size);
  int code = size < 0 || fsetxattr(to, access_list, list, (size_t)size, 0) != 0 ? errno : 0;
  free(list);
  return code;
}

void cfilerights_begin_synchronizing(int file) { (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

int cfilerights_started_with_borrowed_rights(void) { return getauxval(AT_SECURE) != 0; }

#elif defined(__APPLE__)

#include <copyfile.h>
#include <sys/kauth.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

// It is deprecated, but there is no other call for a single thread. It drops the supplementary groups; the
// system looks up the user's groups when it needs them.
int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved) {
  (void)groups;
  (void)count;
  *saved = (struct cfilerights_saved){0, 0, 0, NULL, {0, 0}};
  return pthread_setugid_np(user, group) == 0 ? 0 : errno;
}

void cfilerights_give_back(struct cfilerights_saved *saved) {
  (void)saved;
  pthread_setugid_np(KAUTH_UID_NONE, KAUTH_GID_NONE);
}

int cfilerights_copy_access_list(int from, int to) {
  return fcopyfile(from, to, NULL, COPYFILE_ACL) == 0 ? 0 : errno;
}

int cfilerights_started_with_borrowed_rights(void) { return issetugid(); }

#else

int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved) {
  (void)user;
  (void)group;
  (void)groups;
  (void)count;
  (void)saved;
  return ENOSYS;
}

void cfilerights_give_back(struct cfilerights_saved *saved) { (void)saved; }

int cfilerights_copy_access_list(int from, int to) {
  (void)from;
  (void)to;
  return 0;
}

int cfilerights_started_with_borrowed_rights(void) { return 0; }

#endif

#if !defined(__linux__)

void cfilerights_begin_synchronizing(int file) { (void)file; }

// 0 because on other systems a new thread has the process's rights.
int cfilerights_are_taken(void) { return 0; }

int cfilerights_open_end(const char *path, const char **name, int *flags) {
  *name = path;
  *flags = 0;
  return AT_FDCWD;
}

// Lists of other systems have no entry in the mode's bits for the group.
int cfilerights_has_access_list(const char *path) {
  (void)path;
  return 0;
}

int cfilerights_open(const char *path, int flags, unsigned int mode) { return open(path, flags, (mode_t)mode); }

int cfilerights_open_parent(const char *path, const char **name) {
  *name = path;
  return AT_FDCWD;
}

#endif
