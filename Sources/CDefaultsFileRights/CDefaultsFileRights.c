#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CDefaultsFileRights.h"

#include "LinkedPath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif
#include <unistd.h>

static int open_directory(const char *path);

/// The private directory of the calling thread, by its path; NULL for none.
static _Thread_local const char *private_path = NULL;
/// The length of the part of that path which leads to the directory that contains the private one.
static _Thread_local size_t private_base = 0;

/// The directory that the calling thread holds.
static _Thread_local struct cfilerights_held held = {NULL, 0, -1};

int cfilerights_hold(const char *path, int directory, struct cfilerights_held *before) {
  int descriptor;
  do descriptor = directory < 0 ? open_directory(path) : fcntl(directory, F_DUPFD_CLOEXEC, 0);
  while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return errno;
  // Slashes at the end belong to the name of an entry, as in the path of an entry of the root directory.
  size_t length = strlen(path);
  while (length > 0 && path[length - 1] == '/') length -= 1;
  *before = held;
  held = (struct cfilerights_held){path, length, descriptor};
  return 0;
}

int cfilerights_held_directory(void) { return held.descriptor; }

void cfilerights_let_go(const struct cfilerights_held *before) {
  close(held.descriptor);
  held = *before;
}

/// The part of a path behind the directory that the thread holds: empty for the directory itself; NULL for a path that
/// does not begin with the directory's.
static const char *held_part(const char *path) {
  if (held.path == NULL || strncmp(path, held.path, held.length) != 0) return NULL;
  const char *part = path + held.length;
  if (*part != '/') return *part == 0 && held.length > 0 ? part : NULL;
  while (*part == '/') part += 1;
  return part;
}

int cfilerights_holds(const char *path) {
  const char *part = held_part(path);
  return part != NULL && *part == 0;
}

/// A path relative to the directory that the thread holds; NULL for a path that does not begin with the directory's.
static const char *relative_to_held(const char *path) {
  const char *part = held_part(path);
  return part != NULL && *part == 0 ? "." : part;
}

void cfilerights_close_parent(int descriptor) {
  if (descriptor != AT_FDCWD && descriptor != held.descriptor) close(descriptor);
}

#if defined(__linux__)
#define TO_PASS O_PATH
#elif defined(O_SEARCH)
#define TO_PASS O_SEARCH
#else
#define TO_PASS O_RDONLY
#endif


const char *cfilerights_make_private(const char *path) {
  const char *before = private_path;
  private_path = path;
  private_base = path == NULL ? 0 : (size_t)(strrchr(path, '/') - path);
  return before;
}

/// The part of a path behind the directory that contains the private one, if it leads to the private one or into it;
/// NULL for another path.
static const char *private_part(const char *path) {
  if (private_path == NULL) return NULL;
  size_t length = strlen(private_path);
  if (strncmp(path, private_path, length) != 0 || (path[length] != '/' && path[length] != 0)) return NULL;
  return path + private_base + 1;
}

/// Gives back an open directory if it is the acting user's; else closes it.
static int checked_directory(int descriptor) {
  struct stat status;
  if (descriptor < 0 || (fstat(descriptor, &status) == 0 && status.st_uid == cfilerights_user())) return descriptor;
  close(descriptor);
  errno = EPERM;
  return -1;
}

/// Opens the directory that contains the private one: the held one. Where the thread holds none, because there was none
/// when it looked, one that has come since is none either: it may be another user's link.
static int open_private_base(const char *path) {
  if (cfilerights_holds(path)) return held.descriptor;
  int descriptor = open_directory(path);
  if (descriptor < 0) return -1;
  close(descriptor);
  errno = ENOENT;
  return -1;
}

/// Opens the directory that contains the last name of a private part: each directory in the one before, which is not
/// looked up again, without a link between them.
static int open_private_parent(const char *part, const char **name) {
  char *base = strndup(private_path, private_base == 0 ? 1 : private_base);
  if (base == NULL) return -1;
  int descriptor = open_private_base(base);
  int reason = errno;
  free(base);
  errno = reason;
  for (const char *end; descriptor >= 0 && (end = strchr(part, '/')) != NULL; part = end + 1) {
    char *component = strndup(part, (size_t)(end - part));
    int next = -1;
    if (component != NULL) next = openat(descriptor, component, TO_PASS | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int code = errno;
    free(component);
    cfilerights_close_parent(descriptor);
    errno = code;
    descriptor = checked_directory(next);
  }
  *name = part;
  return descriptor;
}

/// Opens a private part as `open` does.
static int open_private(const char *part, int flags, unsigned int mode) {
  const char *name = part;
  int parent = open_private_parent(part, &name);
  if (parent < 0) return -1;
  int descriptor = openat(parent, name, flags | O_NOFOLLOW, (mode_t)mode);
  int code = errno;
  cfilerights_close_parent(parent);
  errno = code;
  return (flags & O_DIRECTORY) != 0 ? checked_directory(descriptor) : descriptor;
}

#if defined(__linux__)

#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
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
// The thread's rights before it took the first of them; undefined where it has taken none.
static _Thread_local struct cfilerights_saved own;
// Whether the thread could not take its rights again after it had suspended them. It has its own, and reaches no file
// until it has given back all that it has taken.
static _Thread_local int lost = 0;

// The signal by which the C library makes each thread change its user or groups when the program calls `setuid` and the
// like: SIGSETXID of glibc, and SIGSYNCCALL of musl.
#if defined(__GLIBC__)
#define SET_ID_SIGNAL 33
#else
#define SET_ID_SIGNAL 34
#endif

// The signals that the thread has blocked while it has a user's rights.
static _Thread_local uint64_t deferred = 0;

static uint64_t bit_of_signal(int number) { return (uint64_t)1 << (number - 1); }

/// Whether a thread itself causes a signal, by a fault or by `abort`: the kernel ends the process if it is blocked.
static int is_own_fault(int number) {
  switch (number) {
  case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: case SIGABRT: return 1;
  default: return 0;
  }
}

/// Blocks the signals that must not reach a thread with a user's rights.
///
/// A handler of the program's would run with these rights: what it makes would belong to the user, who could read it. And a
/// call of `setuid` or the like by another thread would fail in this one, for which glibc ends the process, or give it
/// other rights in the middle of its work; it waits for this thread now. The C library's own functions do not block its
/// signal; `pthread_sigmask` unblocks it where it sets a whole mask.
///
/// Signals without a handler, such as that of ^C, end the process as always.
static void defer_signals(void) {
  uint64_t signals = bit_of_signal(SET_ID_SIGNAL);
  for (int number = 1; number <= 64; number++) {
    struct sigaction action;
    if (is_own_fault(number) || sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) signals |= bit_of_signal(number);
  }
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof signals);
  deferred = signals & ~before;
}

/// Lets the blocked signals come in, to a thread that has its own rights again.
static void admit_signals(void) {
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &deferred, NULL, sizeof deferred);
  deferred = 0;
}

/// The signal that the kernel sends to the thread when its parent ends, which it forgets when the thread changes its rights.
struct death_signal {
  int number;  // 0 for none
  pid_t parent;
};

static struct death_signal parent_death_signal(void) {
  struct death_signal signal = {0, 0};
  prctl(PR_GET_PDEATHSIG, &signal.number, 0, 0, 0);
  if (signal.number != 0) signal.parent = getppid();
  return signal;
}

static void set_parent_death_signal(struct death_signal signal) {
  if (signal.number == 0) return;
  prctl(PR_SET_PDEATHSIG, signal.number, 0, 0, 0);
  // The parent has ended meanwhile.
  if (getppid() != signal.parent) kill(getpid(), signal.number);
}

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

/// Gives the thread a user's rights, and no capabilities; 0, or an error number, after which it may have a part of them.
static int become(unsigned int user, unsigned int group, const unsigned int *groups, int count) {
  struct death_signal death_signal = parent_death_signal();
  if (syscall(CALL_SETGROUPS, (size_t)count, groups) != 0) return errno;
  syscall(CALL_SETFSGID, group);
  syscall(CALL_SETFSUID, user);
  // Last, because the calls above need capabilities. The kernel itself drops only those that concern
  // permissions of files; with the others, such as CAP_SYS_PTRACE, links in /proc lead to files that the user
  // cannot reach.
  const uint32_t none[2] = {0, 0};
  int is_bare = set_effective_capabilities(none) == 0;
  set_parent_death_signal(death_signal);
  int is_done = is_bare && filesystem_user() == user && filesystem_group() == group && !has_file_capabilities();
  return is_done ? 0 : EPERM;
}

/// Gives the thread rights that it had before.
static void become_again(const struct cfilerights_saved *saved) {
  struct death_signal death_signal = parent_death_signal();
  set_effective_capabilities(to_change_rights);
  syscall(CALL_SETFSUID, saved->user);
  syscall(CALL_SETFSGID, saved->group);
  // Before the saved capabilities, which are none where these rights were taken inside others. The thread is
  // permitted to do this.
  syscall(CALL_SETGROUPS, (size_t)saved->count, saved->groups);
  set_effective_capabilities(saved->effective);
  set_parent_death_signal(death_signal);
}

/// The thread's present rights; 0, or an error number.
static int save(struct cfilerights_saved *saved) {
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
  return 0;
}

int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved) {
  if (lost) return EPERM;
  if (taken == 0) defer_signals();
  int code = save(saved);
  if (code != 0) {
    if (taken == 0) admit_signals();
    return code;
  }
  if (taken == 0) own = *saved;
  if (taken > 0) set_effective_capabilities(to_change_rights);
  taken += 1;
  code = become(user, group, groups, count);
  if (code != 0) cfilerights_give_back(saved);
  return code;
}

void cfilerights_give_back(struct cfilerights_saved *saved) {
  taken -= 1;
  if (!lost) become_again(saved);
  free(saved->groups);
  saved->groups = NULL;
  if (taken > 0) return;
  if (!lost) admit_signals();
  lost = 0;
}

int cfilerights_suspend(struct cfilerights_suspended *suspended) {
  suspended->taken = taken;
  suspended->lost = lost;
  if (taken == 0) return 0;
  if (!lost) {
    int code = save(&suspended->present);
    if (code != 0) return code;
    suspended->own = own;
    become_again(&own);
    admit_signals();
  }
  taken = 0;
  lost = 0;
  return 0;
}

/// Whether the thread has the rights that it had before.
static int has_still(const struct cfilerights_saved *before) {
  struct cfilerights_saved now;
  if (save(&now) != 0) return 0;
  int is_same = now.user == before->user && now.group == before->group && now.count == before->count &&
      memcmp(now.groups, before->groups, sizeof(gid_t) * (size_t)now.count) == 0 &&
      memcmp(now.effective, before->effective, sizeof now.effective) == 0;
  free(now.groups);
  return is_same;
}

int cfilerights_resume(struct cfilerights_suspended *suspended) {
  if (suspended->taken == 0) return 0;
  taken = suspended->taken;
  lost = suspended->lost;
  if (lost) return EPERM;
  own = suspended->own;
  struct cfilerights_saved *present = &suspended->present;
  defer_signals();
  // Of a process that has another user now, these rights are none that it could take, and its former ones none that
  // it could get back.
  int is_changed = !has_still(&own);
  int code = is_changed ? EPERM : become(present->user, present->group, present->groups, present->count);
  if (code != 0) {
    lost = 1;
    if (!is_changed) become_again(&own);
    admit_signals();
  }
  free(present->groups);
  present->groups = NULL;
  return code;
}

int cfilerights_are_taken(void) { return taken > 0; }

unsigned int cfilerights_user(void) { return taken == 0 ? geteuid() : filesystem_user(); }

static int open_directory(const char *path) { return cfilerights_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0); }

/// Fails for a thread that must reach no file.
static int is_refused(void) {
  if (lost) errno = EPERM;
  return lost;
}

int cfilerights_open(const char *path, int flags, unsigned int mode) {
  if (is_refused()) return -1;
  const char *part = private_part(path);
  if (part != NULL) return open_private(part, flags, mode);
  part = relative_to_held(path);
  int base = part != NULL ? held.descriptor : AT_FDCWD;
  if (part == NULL) part = path;
  if (taken == 0) return openat(base, part, flags, (mode_t)mode);
  int descriptor = open_resolving(base, part, flags, mode, NO_MOUNTS | NO_LINKS | NO_MAGIC_LINKS);
  int is_led_away = descriptor < 0 && (errno == ELOOP || errno == EXDEV);
  return is_led_away ? open_through_links(base, part, flags, mode) : descriptor;
}

/// Whether the thread, where it has taken no rights, opens the directories of paths through no link.
static __thread int through_no_link;

int cfilerights_go_through_no_link(int is_on) {
  int before = through_no_link;
  through_no_link = is_on;
  return before;
}

int cfilerights_open_parent(const char *path, const char **name) {
  *name = path;
  if (is_refused()) return -1;
  const char *part = private_part(path);
  if (part != NULL) return open_private_parent(part, name);
  // Of the directory itself the parent is looked up.
  part = cfilerights_holds(path) ? NULL : held_part(path);
  if (part != NULL && strchr(part, '/') == NULL) {
    *name = part;
    return held.descriptor;
  }
  size_t length = strlen(path), end = length;
  while (end > 0 && path[end - 1] == '/') end -= 1;
  if ((taken != 0 || part != NULL) && end > 0 && end < length) {
    // The slash has the system follow a link of that name, in its own way: the directory itself is opened in this one.
    *name = ".";
    return cfilerights_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  }
  while (end > 0 && path[end - 1] != '/') end -= 1;
  int has_own_rights = taken == 0 && part == NULL;
  // A path without a directory leads through no link.
  if ((has_own_rights && !through_no_link) || end == 0) return AT_FDCWD;
  char *parent = strndup(path, end);
  if (parent == NULL) return -1;
  int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  int descriptor = has_own_rights ? open_resolving(AT_FDCWD, parent, flags, 0, NO_LINKS | NO_MAGIC_LINKS)
                                  : cfilerights_open(parent, flags, 0);
  int code = errno;
  free(parent);
  errno = code;
  if (descriptor >= 0) *name = path + end;
  return descriptor;
}

/// The attribute with a file's access control list.
static const char access_list[] = "system.posix_acl_access";

int cfilerights_has_access_list(const char *path, int follows_link) {
  if (is_refused()) return 1;
  if (taken == 0) {
    // Another user may have put a link in the place of the directory that was found there.
    ssize_t size = (follows_link ? getxattr : lgetxattr)(path, access_list, NULL, 0);
    return size >= 0 || (errno != ENODATA && errno != ENOTSUP);
  }
  // These calls would follow links of every kind on the way.
  int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | (follows_link ? 0 : O_NOFOLLOW);
  int descriptor = cfilerights_open(path, flags, 0);
  if (descriptor < 0) return 1;
  int result = fgetxattr(descriptor, access_list, NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
  close(descriptor);
  return result;
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

int cfilerights_suspend(struct cfilerights_suspended *suspended) {
  uid_t user;
  gid_t group;
  suspended->taken = pthread_getugid_np(&user, &group) == 0;
  if (!suspended->taken) return 0;
  suspended->present = (struct cfilerights_saved){user, group, 0, NULL, {0, 0}};
  return pthread_setugid_np(KAUTH_UID_NONE, KAUTH_GID_NONE) == 0 ? 0 : errno;
}

int cfilerights_resume(struct cfilerights_suspended *suspended) {
  if (!suspended->taken) return 0;
  return pthread_setugid_np(suspended->present.user, suspended->present.group) == 0 ? 0 : errno;
}

int cfilerights_copy_access_list(int from, int to) {
  return fcopyfile(from, to, NULL, COPYFILE_ACL) == 0 ? 0 : errno;
}

int cfilerights_started_with_borrowed_rights(void) { return issetugid(); }

// Inside taken rights the thread's own user.
unsigned int cfilerights_user(void) {
  uid_t user;
  gid_t group;
  return pthread_getugid_np(&user, &group) == 0 ? user : geteuid();
}

#else

unsigned int cfilerights_user(void) { return geteuid(); }

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

int cfilerights_suspend(struct cfilerights_suspended *suspended) {
  suspended->taken = 0;
  return 0;
}

int cfilerights_resume(struct cfilerights_suspended *suspended) {
  (void)suspended;
  return 0;
}

int cfilerights_copy_access_list(int from, int to) {
  (void)from;
  (void)to;
  return 0;
}

int cfilerights_started_with_borrowed_rights(void) { return 0; }

#endif

#if !defined(__linux__)

void cfilerights_begin_synchronizing(int file) { (void)file; }

int cfilerights_go_through_no_link(int is_on) {
  (void)is_on;
  return 0;
}

// Other systems have no such file system.
int cfilerights_is_of_processes(const char *path) {
  (void)path;
  return 0;
}

// 0 because on other systems a new thread has the process's rights.
int cfilerights_are_taken(void) { return 0; }

static int open_directory(const char *path) { return open(path, TO_PASS | O_DIRECTORY | O_CLOEXEC); }

// Lists of other systems have no entry in the mode's bits for the group.
int cfilerights_has_access_list(const char *path, int follows_link) {
  (void)path;
  (void)follows_link;
  return 0;
}

int cfilerights_open(const char *path, int flags, unsigned int mode) {
  const char *part = private_part(path);
  if (part != NULL) return open_private(part, flags, mode);
  part = relative_to_held(path);
  return part != NULL ? openat(held.descriptor, part, flags, (mode_t)mode) : open(path, flags, (mode_t)mode);
}

int cfilerights_open_parent(const char *path, const char **name) {
  const char *part = private_part(path);
  if (part != NULL) return open_private_parent(part, name);
  // Of the directory itself the parent is looked up.
  part = cfilerights_holds(path) ? NULL : held_part(path);
  *name = part != NULL ? part : path;
  return part != NULL ? held.descriptor : AT_FDCWD;
}

#endif

int cfilerights_open_end(const char *path, const char **name, int *flags) {
#if defined(__linux__)
  if (is_refused()) return -1;
#endif
  const char *part = private_part(path);
  if (part != NULL) {
    *flags = AT_SYMLINK_NOFOLLOW;
    return open_private_parent(part, name);
  }
#if defined(__linux__)
  if (taken != 0) {
    *name = "";
    *flags = AT_EMPTY_PATH;
    return cfilerights_open(path, O_PATH | O_CLOEXEC, 0);
  }
#endif
  part = relative_to_held(path);
  *name = part != NULL ? part : path;
  *flags = 0;
  return part != NULL ? held.descriptor : AT_FDCWD;
}

int cfilerights_has_mandatory_locks(const char *path) {
  struct statfs status;
#if defined(__linux__)
  int descriptor = cfilerights_open(path, O_PATH | O_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  int is_known = fstatfs(descriptor, &status) == 0;
  close(descriptor);
  if (!is_known) return 0;
  // SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC and SMB2_SUPER_MAGIC.
  unsigned int kind = (unsigned int)status.f_type;
  return kind == 0x517Bu || kind == 0xFF534D42u || kind == 0xFE534D42u;
#else
  if (statfs(path, &status) != 0) return 0;
  return strcmp(status.f_fstypename, "smbfs") == 0;
#endif
}
