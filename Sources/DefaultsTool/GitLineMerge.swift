import DefaultsDatabase

/// git's merge of three texts line by line.
///
/// git runs with the process's own rights, whatever rights the calling thread has taken, and may be slow: this is for a
/// thread that has its own rights and no lock.
struct GitLineMerge {
  let base: [UInt8]
  let ours: [UInt8]
  let theirs: [UInt8]
  let marks: MergedLines
  let environment: EnvironmentLookup

  /// How long git may take, in seconds; it takes milliseconds for any text that a person has written.
  private static let patience = 5.0

  /// The merged text, and whether it has marks; nil where there is no git, or where git cannot merge the texts.
  func result() -> (bytes: [UInt8], hasMarks: Bool)? {
    do {
      let disk = DiskFileSystem()
      let parent = try environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
      let folder = try TemporaryDirectory(
        in: [try DatabaseLocation.absolute(parent), "/tmp"], named: "defaults-merge-")
      defer { folder.remove() }
      let paths = ["ours", "base", "theirs", "merged"].map { "\(folder.path)/\($0)" }
      for (path, bytes) in zip(paths, [ours, base, theirs]) {
        let descriptor = try disk.open(path, for: .creating)
        defer { disk.close(descriptor) }
        try disk.write(all: bytes, to: descriptor)
      }
      let labels = [marks.labels.0, "base", marks.labels.1]
      let ending = try ForegroundProcess.run(
        "/bin/sh",
        ["-c", GitLineMerge.script, "sh", "\(marks.markSize)"] + labels + paths + [folder.path],
        until: .now + GitLineMerge.patience)
      // The status is the number of conflicts, 127 for more.
      guard case .status(let count) = ending, count <= 127 else { return nil }
      let merged = try disk.contents(ofRegularFile: paths[3])
      return isPlausible(merged, hasMarks: count > 0) ? (merged, count > 0) : nil
    } catch {
      // Marks around all that differs lose nothing either.
      return nil
    }
  }

  /// Whether git itself can have merged the texts so: a shell, a loader or another program in git's place also ends with a
  /// small status where git cannot be started.
  private func isPlausible(_ merged: [UInt8], hasMarks: Bool) -> Bool {
    if merged.isEmpty, !ours.isEmpty, !theirs.isEmpty { return false }
    guard let hasFoundMarks = marks.areBetweenLines(of: [base, ours, theirs], in: merged) else {
      return false
    }
    return hasFoundMarks || !hasMarks
  }

  /// git looks for a repository in its working directory and above, where another user may have put a pipe, or a link that
  /// leads to where a look never ends. So it works in the folder, and looks no further.
  private static let script = """
    command -v git >/dev/null || exit 255
    cd "$9" || exit 255
    export GIT_CEILING_DIRECTORIES="${9%/*}"
    set -C
    exec git merge-file -p -q --marker-size="$1" -L "$2" -L "$3" -L "$4" "$5" "$6" "$7" >"$8" 2>/dev/null
    """
}
