import OpenStepPropertyList

/// Which files of a database are looked at now, and which later, so that looks take a quarter of the time of one processor,
/// and a file that takes long delays the others only while it is being looked at.
struct LookSchedule {
  /// The longest pause before files that take a short time are looked at, in seconds.
  static let longestPause = 1.0
  /// The longest pause before files that take long are looked at, in seconds. A look may also have been held up, by a
  /// process that does not read the output of `watch`, or by a stop of the process.
  static let longestSlowPause = 10.0
  /// How long a look may take without being a slow one, in seconds.
  static let longestQuickLook = 0.1

  /// The pace of all looks.
  private var all = LookPace(longestPause: LookSchedule.longestPause)
  /// The pace of slow looks, each of which is followed by three times as long without another.
  private var slow = LookPace(longestPause: LookSchedule.longestSlowPause)
  /// The files whose last look took long, and when it ended.
  private var slowFiles: [PropertyListKey: MonotonicTime] = [:]
  /// The files of a look at several that took long: it is not known which of them does, and each is looked at alone.
  private var suspects: Set<PropertyListKey> = []
  private static let maximumCount = 1024

  /// How long to pause before any look, in seconds.
  mutating func pause(at now: MonotonicTime = .now) -> Double { all.pause(at: now) }

  /// How long to pause before a look at a slow file, or at everything, in seconds.
  mutating func slowPause(at now: MonotonicTime = .now) -> Double { slow.pause(at: now) }

  /// Which of the files that may have changed are looked at next.
  ///
  /// A slow file comes first when its time has come, and of several the one that was looked at least recently, so that none
  /// is kept back by others that change all the time.
  ///
  /// - Parameter takesSlow: Whether that time has come.
  /// - Returns: One slow file, or one that may be slow, or all others; none if there are only slow ones, which have to wait.
  func next(of files: Set<PropertyListKey>, takingSlow takesSlow: Bool) -> Set<PropertyListKey> {
    if slowFiles.isEmpty, suspects.isEmpty { return files }
    let slow = files.filter { slowFiles[$0] != nil }
    if takesSlow, let first = slow.min(by: { slowFiles[$0] ?? .now < slowFiles[$1] ?? .now }) {
      return [first]
    }
    let others = files.subtracting(slow)
    if let suspect = others.first(where: suspects.contains) { return [suspect] }
    return others
  }

  /// Counts a look at some files, or at everything for nil, that has just ended.
  mutating func add(_ seconds: Double, for files: Set<PropertyListKey>?, at now: MonotonicTime = .now) {
    all.add(seconds, at: now)
    let isSlow = seconds > LookSchedule.longestQuickLook
    if isSlow || files == nil { slow.add(seconds, at: now) }
    guard let files else { return }
    if files.count == 1, let file = files.first {
      slowFiles[file] = isSlow ? now : nil
      suspects.remove(file)
    } else if isSlow {
      suspects.formUnion(files.filter { slowFiles[$0] == nil })
    }
    if slowFiles.count > LookSchedule.maximumCount { slowFiles = slowFiles.filter { files.contains($0.key) } }
    if suspects.count > LookSchedule.maximumCount { suspects = files }
  }
}
