#ifndef CDEFAULTSFILERIGHTS_H
#define CDEFAULTSFILERIGHTS_H

// System calls for DefaultsDatabase that Swift cannot make. Most are those of `FileRights`: they change the rights of
// the calling thread only, while the C library's functions of the same names change those of all threads.

// This header includes no other one, because Swift would attribute that one's declarations to this module.
// The types of users, groups and modes are those of `uid_t`, `gid_t` and, on Linux, `mode_t`.

/// The rights that a thread had before `cfilerights_take`.
struct cfilerights_saved {
  unsigned int user;
  unsigned int group;
  int count;
  unsigned int *groups;
  /// The effective capabilities.
  unsigned int effective[2];
};

/// Gives the calling thread a user's rights to files, and no others, until `cfilerights_give_back`.
///
/// The effective user must be the administrator. Until then the thread has no effective capabilities; its
/// user remains the same, and so do the processes that may send it a signal. Signals for which the program has a handler
/// wait until then, or go to another thread: the handler would have these rights. If another thread calls `setuid`,
/// `setgroups` or a function like them, which change all threads, that call waits until then. Such a call holds the C
/// library's lock on the list of threads; therefore the calling thread must neither start a thread nor wait for another
/// one, before it has called `cfilerights_suspend`.
///
/// - Parameters:
///   - groups: the supplementary groups, `count` of them.
///   - saved: set on success, for `cfilerights_give_back`.
/// - Returns: 0, or an error number; then the thread has the rights that it had before. `ENOSYS` if the
///   system has no rights of single threads.
int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved);

/// Begins to bring a file's bytes to the disk, and does not wait; `fsync` has to follow. A system without such a call
/// begins then.
void cfilerights_begin_synchronizing(int file);

/// Whether a file lies on a mount of SMB, where a lock on it keeps all others from reading it; 0 for no.
int cfilerights_has_mandatory_locks(const char *path);

/// Gives the calling thread back the rights that it had before `cfilerights_take`.
void cfilerights_give_back(struct cfilerights_saved *saved);

/// The rights that a thread has taken, and that it does not have until `cfilerights_resume`.
struct cfilerights_suspended {
  /// How many times it has taken rights; 0 if it has its own.
  int taken;
  /// Whether it could not take them again after an earlier suspension.
  int lost;
  struct cfilerights_saved present;
  struct cfilerights_saved own;
};

/// Gives the calling thread its own rights, if it has taken others, until `cfilerights_resume`.
///
/// - Returns: 0, or an error number; then the thread has the rights that it had before.
int cfilerights_suspend(struct cfilerights_suspended *suspended);

/// Takes the rights again that the calling thread had before `cfilerights_suspend`.
///
/// - Returns: 0, or an error number: `EPERM` if the process has another user, other groups or other capabilities than
///   before. Then the thread has its own rights, and until it has given back all that it has taken, the functions below
///   that reach a file by its path fail with `EPERM`.
int cfilerights_resume(struct cfilerights_suspended *suspended);

/// The user whose rights to files the calling thread has: the effective user, or the one whose rights it has taken.
unsigned int cfilerights_user(void);

/// Whether the calling thread has taken rights that it has not given back; 0 for no.
int cfilerights_are_taken(void);

/// Names the directory that is private to the calling thread's user, by a path with a `/` in it; NULL for none.
///
/// Until the next call the functions below reach it and what is in it through no link, and through no directory of
/// another user (`EPERM`), whoever may exchange it meanwhile. A path leads there if it begins with the path of the
/// directory, byte by byte.
///
/// - Parameter path: kept by the caller, as long as it is used.
/// - Returns: the path before.
const char *cfilerights_make_private(const char *path);

/// A directory that a thread holds.
struct cfilerights_held {
  const char *path;
  /// The length of the path without slashes at its end.
  unsigned long length;
  int descriptor;
};

/// Opens a directory, and lets the functions below reach it and its entries through it until `cfilerights_let_go`: a
/// path leads there if it begins with the directory's path, byte by byte, and ends there or continues with `/`. Only the
/// status of the directory without following a link, as of an entry of its parent, is still looked up by its path.
/// Whatever takes the place of the directory or of one on its path meanwhile, the calling thread works in the same
/// directory.
///
/// - Parameters:
///   - path: kept by the caller.
///   - directory: an open descriptor of the directory, which stays the caller's, and the path is not looked up; -1 for none.
///   - before: set to what the thread holds already, for `cfilerights_let_go`.
/// - Returns: 0, or an error number.
int cfilerights_hold(const char *path, int directory, struct cfilerights_held *before);

/// Whether the thread holds the directory of a path; 0 for no.
int cfilerights_holds(const char *path);

/// The descriptor of the directory that the thread holds; -1 for none.
int cfilerights_held_directory(void);

/// Closes the directory that the thread holds; it holds the one before again.
void cfilerights_let_go(const struct cfilerights_held *before);

/// Closes what `cfilerights_open_parent` and `cfilerights_open_end` gave, if it is the caller's.
void cfilerights_close_parent(int descriptor);

/// Opens a file as `open` does. For a thread that has taken rights, links such as those in `/proc/self/fd`
/// give `ELOOP`: they lead to the process's open files and its working directory, whatever the user's rights
/// are. So do what is exchanged for a link while the path is followed, and a path over more than 200 links and
/// mounted file systems. A path into the file system of the processes that does not begin with `/proc/self/`, or
/// goes up anywhere, gives `EOPNOTSUPP`: a process of the user can have whoever opens one of its files there wait
/// without end. A relative path from a working directory there is the caller's own choice. Another user's link at
/// the end of a path, in a directory where everybody may make files, gives `EACCES`.
///
/// A thread that has taken rights needs Linux 5.6; on an older system this fails with `ENOSYS`.
int cfilerights_open(const char *path, int flags, unsigned int mode);

/// Opens the directory that contains a path's last name, in the same way, for calls that do not follow a link
/// with that name. Of a path with a slash at its end it opens the directory itself, to which a link may lead.
///
/// - Parameter name: set to that name, and to `.` for the directory itself.
/// - Returns: a descriptor for `cfilerights_close_parent`; -1, with `errno`; or `AT_FDCWD`, with the whole path
///   as the name, if the thread has not taken rights or the path contains no directory.
int cfilerights_open_parent(const char *path, const char **name);

/// Opens the file to which a path leads, in the same way, for calls that read its status.
///
/// - Parameters:
///   - name: set to the path for such a call, relative to the descriptor.
///   - flags: set to the flags for such a call.
/// - Returns: as `cfilerights_open_parent`.
int cfilerights_open_end(const char *path, const char **name, int *flags);

/// Whether a file lies in the file system of the processes, for a thread that has taken rights; 0 for no, and where that
/// cannot be found out. A link at the end of the path is not followed.
int cfilerights_is_of_processes(const char *path);

/// Sets whether the looks of the calling thread at what a path names, and its changes of directories' entries, fail with
/// `ELOOP` where the path leads through a link, as long as the thread has taken no rights. Only Linux has this.
///
/// - Parameter is_on: 0 for no.
/// - Returns: what was set before.
int cfilerights_go_through_no_link(int is_on);

/// Whether a directory has an access control list, which may let users write that its mode does not name. A thread that has
/// taken rights opens it in the same way. Also not 0 if this cannot be determined, as where such a thread may not read the
/// directory.
///
/// - Parameter follows_link: whether a link at the end of the path is followed; 0 for no.
int cfilerights_has_access_list(const char *path, int follows_link);

/// Gives an open file the access control list of another one, or none if that one has none.
///
/// - Returns: 0, or an error number.
int cfilerights_copy_access_list(int from, int to);

/// Whether the system started the process with rights that its starter may not have: from a set-uid or set-gid
/// file, or one with capabilities. It remains so when the process makes these rights its own by `setuid`.
int cfilerights_started_with_borrowed_rights(void);

#endif
