#ifndef CFILERIGHTS_H
#define CFILERIGHTS_H

// The system calls behind `FileRights` in DefaultsDatabase, in C because Swift cannot make them: they change the rights
// of the calling thread alone, where the C library's functions of the same names change those of every thread.

// Nothing is included: Swift would take what other headers declare for this module's. Users and groups are what
// `uid_t` and `gid_t` are, modes what `mode_t` is on Linux.

/// The rights that a thread had before `cfilerights_take`.
struct cfilerights_saved {
  unsigned int user;
  unsigned int group;
  int count;
  unsigned int *groups;
  /// The capabilities that were in force.
  unsigned int effective[2];
};

/// Gives the calling thread a user's rights towards files, and no others, until `cfilerights_give_back`.
///
/// The effective user must be the administrator. The thread's capabilities are in force no more until then; its user, and
/// so who may send it a signal, stays.
///
/// - Parameters:
///   - groups: the supplementary groups, `count` of them.
///   - saved: filled in on success, for `cfilerights_give_back`.
/// - Returns: 0, or an error number; then the thread has the rights that it had before. `ENOSYS` where the system gives
///   a thread no rights of its own.
int cfilerights_take(
    unsigned int user, unsigned int group, const unsigned int *groups, int count, struct cfilerights_saved *saved);

/// Gives the calling thread back the rights that it had before `cfilerights_take`.
void cfilerights_give_back(struct cfilerights_saved *saved);

/// Whether the calling thread has taken rights that it has not given back; 0 for no.
int cfilerights_are_taken(void);

/// Opens a file as `open` does. A thread that has taken rights is not led through links such as those in `/proc/self/fd`,
/// which lead to what the process has open, or where it stands, whatever the user may do: those give `ELOOP`.
///
/// Needs Linux 5.6 where rights were taken, and fails with `ENOSYS` on an older one.
int cfilerights_open(const char *path, int flags, unsigned int mode);

/// Opens the directory in which a path's last name stands, in the same way, for calls that do not follow a link there.
///
/// - Parameter name: set to that name.
/// - Returns: a descriptor that is to be closed, -1 with an error number, or `AT_FDCWD` with the whole path for a name,
///   where the thread has not taken rights.
int cfilerights_open_parent(const char *path, const char **name);

/// Opens what a path leads to, in the same way, for calls that look at it.
///
/// - Parameters:
///   - name: set to what such a call takes for a path beside the descriptor.
///   - flags: set to what it takes for flags.
/// - Returns: as `cfilerights_open_parent`.
int cfilerights_open_end(const char *path, const char **name, int *flags);

#endif
