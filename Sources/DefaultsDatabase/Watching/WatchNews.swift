import OpenStepPropertyList

/// What may have changed of a database, and was not reported yet.
struct WatchNews {
  /// Whether any file may have changed.
  var isEverything = false
  /// Whether all places have to be watched anew.
  var isLost = false
  /// The files that may have changed.
  var files: Set<PropertyListKey> = []
  /// Those that have changed again since their sizes were noted, or whose sizes were not noted yet.
  var unmeasured: Set<PropertyListKey> = []
  /// The paths of those of which it is only known that they were made.
  var made: [PropertyListKey: String] = [:]
  /// The groups of which a place has gone, so that its name may belong to something else now.
  var stale: Set<DatabaseWatch.Group> = []

  var isEmpty: Bool { !isEverything && files.isEmpty }

  /// Of how many files each is looked at: to look at the whole directory takes less than to look at more of them, and
  /// programs may make and remove files faster than they are looked at.
  private static let maximumFileCount = 1024

  /// Takes the news of a file.
  mutating func take(_ file: PropertyListKey) -> WatchNews {
    var taken = WatchNews()
    if files.remove(file) != nil { taken.files = [file] }
    unmeasured.remove(file)
    taken.made[file] = made.removeValue(forKey: file)
    if stale.remove(.link(file)) != nil { taken.stale = [.link(file)] }
    return taken
  }

  /// Puts news back that were taken.
  mutating func putBack(_ taken: WatchNews) {
    for file in taken.files { add(file, madeAt: taken.made[file]) }
    stale.formUnion(taken.stale)
  }

  /// Adds a file that may have changed.
  ///
  /// - Parameter path: Its path if it is only known that it was made there.
  mutating func add(_ file: PropertyListKey, madeAt path: String?) {
    guard files.count < WatchNews.maximumFileCount else {
      isEverything = true
      (files, unmeasured, made) = ([], [], [:])
      return
    }
    unmeasured.insert(file)
    let isFirst = files.insert(file).inserted
    if isFirst || made[file] != path { made[file] = isFirst ? path : nil }
  }
}
