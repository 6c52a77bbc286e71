#if defined(__linux__)
#define _GNU_SOURCE

#include "LinkedPath.h"

#include "CDefaultsFileRights.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

// The kernel's structure and call number, which older headers lack.
struct open_how_of_kernel { uint64_t flags, mode, resolve; };
#if !defined(SYS_openat2)
#define SYS_openat2 437
#endif

int open_resolving(int base, const char *path, int flags, unsigned int mode, uint64_t refused) {
  struct open_how_of_kernel how = {
      (uint64_t)(unsigned int)flags, (flags & O_CREAT) != 0 ? mode & 07777 : 0, refused};
  return (int)syscall(SYS_openat2, base, path, &how, sizeof how);
}

/// Whether a file lies in the file system of the processes.
static int is_of_processes(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && status.f_type == 0x9FA0;
}

int cfilerights_is_of_processes(const char *path) {
  int descriptor = cfilerights_open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  // With a user's rights nothing is opened there.
  if (descriptor < 0) return errno == EOPNOTSUPP;
  int result = is_of_processes(descriptor);
  close(descriptor);
  return result;
}

/// Whether a path is one of this process's own files among those of the processes; these wait for no other process.
static int is_own_process(const char *path) {
  return strncmp(path, "/proc/self/", 11) == 0 && strstr(path, "..") == NULL;
}

/// How many links are followed, as by the kernel, and how many links and mounted file systems are passed; each takes some
/// calls of the system.
enum { MAXIMUM_LINK_COUNT = 40, MAXIMUM_STEP_COUNT = 200 };

/// The way along a path, from link to link.
struct way {
  /// The directory that has been reached.
  int directory;
  /// The next name, in that directory.
  char name[PATH_MAX];
  /// Whether the name is the last one, and whether it has to be a directory's.
  int is_last, needs_directory;
  /// What follows the name, in the memory below.
  char *next;
  char *rest;
  int link_count, step_count;
  /// Whether the path is one of this process's own files among the files of the processes.
  int is_own_process;
};

enum outcome { FAILED, WENT_ON, AT_END };

/// Goes on in a directory, which the way closes from now on.
static enum outcome enter(struct way *way, int directory) {
  if (directory < 0) return FAILED;
  if (way->directory >= 0) close(way->directory);
  way->directory = directory;
  return WENT_ON;
}

/// Where the name ends that begins at a place.
static size_t name_end(const char *text, size_t start) {
  start += strspn(text + start, "/");
  return start + strcspn(text + start, "/");
}

/// How many bytes of a text, and no more than a limit, are whole names, of which none is the text's last one; 0 for none.
static size_t whole_names(const char *text, size_t limit) {
  size_t size = 0;
  for (size_t end = name_end(text, 0); end <= limit && text[end + strspn(text + end, "/")] != 0; end = name_end(text, end)) {
    size = end;
  }
  return size;
}

/// How many of the next bytes are whole names: as many as a limit allows, but one name at least; 0 where the next is the last.
static size_t next_names(const char *text, size_t limit) {
  size_t size = whole_names(text, limit);
  return size > 0 ? size : whole_names(text, name_end(text, 0));
}

/// Passes the directories before the next link or mounted file system, if there are any.
///
/// The kernel looks up many names in one call, which fails where a link is among them. The calls look up more and more names
/// until one fails (galloping search), and then fewer and fewer: all together three times as many as there are up to the link.
static enum outcome leap(struct way *way) {
  way->next += strspn(way->next, "/");
  size_t limit = 64;
  // The bytes up to a name of which a call has failed; 0 for none.
  size_t failed_size = 0;
  while (1) {
    size_t size = next_names(way->next, failed_size > 0 ? failed_size / 2 : limit);
    if (size == 0 || (failed_size > 0 && size >= failed_size)) return WENT_ON;
    memcpy(way->name, way->next, size);
    way->name[size] = 0;
    int directory = open_resolving(
        way->directory, way->name, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, NO_MOUNTS | NO_LINKS | NO_MAGIC_LINKS);
    if (directory >= 0) {
      enter(way, directory);
      size_t passed = size + strspn(way->next + size, "/");
      way->next += passed;
      if (failed_size > 0) failed_size -= passed;
      if (limit < PATH_MAX / 2) limit *= 2;
    } else if (errno == ELOOP || errno == EXDEV) {
      failed_size = size;
    } else {
      return FAILED;
    }
  }
}

/// Takes the next name, which is no longer than the path or the link's text in which it stands, and so than the buffer.
static void take_name(struct way *way) {
  way->next += strspn(way->next, "/");
  size_t size = strcspn(way->next, "/");
  memcpy(way->name, way->next, size);
  way->name[size] = 0;
  way->next += size;
  way->needs_directory = *way->next == '/';
  way->is_last = way->next[strspn(way->next, "/")] == 0;
  if (size == 0) {
    // Slashes alone: the directory itself.
    strcpy(way->name, ".");
    way->needs_directory = 1;
  }
}

/// Whether a link lies on a file system on which no links are followed.
static int forbids_links(int link) {
  struct statfs status;
  return fstatfs(link, &status) == 0 && (status.f_flags & 0x2000) != 0;
}

/// Whether a link at the end of the way is another user's, in a directory where everybody may make files: the kernel follows
/// none there if `fs.protected_symlinks` is on, as it is on most systems.
static int is_others_in_shared(const struct way *way, unsigned int owner) {
  struct stat status;
  if (owner == cfilerights_user() || fstat(way->directory, &status) != 0) return 0;
  return (status.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH) && status.st_uid != owner;
}

/// Puts the text of a link, whose name was taken, before what follows the name.
static enum outcome follow(struct way *way, int link, unsigned int owner) {
  // The text of a link is shorter.
  char text[PATH_MAX];
  way->link_count += 1;
  // As many as the kernel follows, and none where it follows none.
  if (way->link_count > MAXIMUM_LINK_COUNT || forbids_links(link)) {
    errno = ELOOP;
    return FAILED;
  }
  if (way->is_last && is_others_in_shared(way, owner)) {
    errno = EACCES;
    return FAILED;
  }
  if (is_of_processes(link)) {
    // Only the kernel can tell a link that does not lead where its text says.
    int end = open_resolving(way->directory, way->name, O_PATH | O_CLOEXEC, 0, NO_MAGIC_LINKS);
    if (end < 0) return FAILED;
    close(end);
  }
  ssize_t length = readlinkat(link, "", text, sizeof text);
  if (length < 0) return FAILED;
  if (length == 0 || (size_t)length == sizeof text) {
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    return FAILED;
  }
  size_t next_size = strlen(way->next) + 1;
  char *rest = malloc((size_t)length + next_size);
  if (rest == NULL) return FAILED;
  memcpy(rest, text, (size_t)length);
  memcpy(rest + length, way->next, next_size);
  free(way->rest);
  way->next = way->rest = rest;
  return text[0] == '/' ? enter(way, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : WENT_ON;
}

/// Goes on behind what the name that was taken leads to.
///
/// - Parameter found: an open descriptor of it; set to another one, or to -1, if the way closes it.
static enum outcome pass(struct way *way, int *found, int flags) {
  struct stat status;
  if (fstat(*found, &status) != 0) return FAILED;
  if (S_ISLNK(status.st_mode)) {
    // What is to be made is not made where a link leads that others may have planted.
    int is_made = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    int stays = way->is_last && !way->needs_directory && ((flags & O_NOFOLLOW) != 0 || is_made);
    return stays ? AT_END : follow(way, *found, status.st_uid);
  }
  if (!way->is_last && S_ISDIR(status.st_mode)) {
    // What is mounted there when it is needed is mounted by this alone.
    int directory = openat(way->directory, way->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return FAILED;
    close(*found);
    *found = directory;
  }
  if (!way->is_own_process && is_of_processes(*found)) {
    // Another process can have whoever opens one of its files wait without end.
    errno = EOPNOTSUPP;
    return FAILED;
  }
  if (way->is_last) return AT_END;
  int directory = *found;
  *found = -1;
  return enter(way, directory);
}

/// Whether a name is that of a directory itself, or of the one above.
static int is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/// Goes on behind the next link, to the next file system, or to the end.
static enum outcome step(struct way *way, int flags) {
  if (leap(way) == FAILED) return FAILED;
  take_name(way);
  way->step_count += 1;
  if (way->step_count > MAXIMUM_STEP_COUNT) {
    errno = ELOOP;
    return FAILED;
  }
  if ((flags & O_CREAT) != 0 && way->is_last && way->needs_directory && !is_dots(way->name)) {
    errno = EISDIR;
    return FAILED;
  }
  int found = openat(way->directory, way->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (found < 0) return errno == ENOENT && way->is_last && (flags & O_CREAT) != 0 ? AT_END : FAILED;
  enum outcome outcome = pass(way, &found, flags);
  int code = errno;
  if (found >= 0) close(found);
  errno = code;
  return outcome;
}

int open_through_links(int base, const char *path, int flags, unsigned int mode) {
  struct way way = {.directory = -1, .is_own_process = is_own_process(path)};
  if (strlen(path) >= sizeof way.name) {
    errno = ENAMETOOLONG;
    return -1;
  }
  way.next = way.rest = strdup(path);
  if (way.rest == NULL) return -1;
  enum outcome outcome = enter(&way, openat(base, *path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (outcome == WENT_ON) outcome = step(&way, flags);
  int descriptor = -1;
  if (outcome == AT_END) {
    // A directory's name that is to be made is refused already; dots with both flags would be an error of their own.
    if (way.needs_directory && (flags & O_CREAT) == 0) flags |= O_DIRECTORY;
    // What has been exchanged for a link meanwhile is refused.
    descriptor = open_resolving(way.directory, way.name, flags, mode, NO_LINKS | NO_MAGIC_LINKS);
  }
  int code = errno;
  if (way.directory >= 0) close(way.directory);
  free(way.rest);
  errno = code;
  return descriptor;
}

#endif
