import OpenStepPropertyList

extension PropertyList {
  /// The paths into the value that begin with what was typed, in the order of their keys: those of its scalars, data and
  /// empty containers, or of the containers above them where these would be too many bytes.
  ///
  /// The path of a deep value is as long as all keys above it, so that those of a file's values may be thousands of
  /// times as long as the file. So the paths are made longer by one step at a time, as long as there is room.
  ///
  /// - Parameter room: How many bytes of paths are made, also on the way to those that are given.
  func paths(beginning typed: String, in room: Int = 16 << 20) -> [String] {
    var level = PathLevel(candidates: [(text: "", value: self)], isComplete: true)
    var room = room
    while let next = level.next(typed, in: room) {
      // Some of the shorter ones mislead less than a part of the longer ones.
      if !next.isComplete, !level.proposals(typed).isEmpty { break }
      level = next
      if !next.isComplete { break }
      room -= next.byteCount
    }
    return level.proposals(typed)
  }
}

/// The paths of values down to a depth, of those that fit what was typed.
private struct PathLevel {
  var candidates: [(text: String, value: PropertyList)]
  /// Whether no path was left out for want of room.
  var isComplete: Bool
  /// How many bytes the paths have.
  var byteCount = 0

  /// The paths that begin with what was typed.
  func proposals(_ typed: String) -> [String] {
    candidates.map { $0.text.isEmpty ? PropertyListPath([PropertyListPath.Step]()).description : $0.text }
      .filter { $0.utf8.starts(with: typed.utf8) }
  }

  /// The paths that are longer by a step, besides those that cannot be; nil if none can be.
  func next(_ typed: String, in room: Int) -> PathLevel? {
    var next = PathLevel(candidates: [], isComplete: true)
    var isLonger = false
    for (text, value) in candidates {
      let typedRest = typed.utf8.dropFirst(text.utf8.count)
      /// Adds a path unless it differs from what was typed; false if there is no room.
      func add(_ step: PropertyListPath.Step, _ value: PropertyList) -> Bool {
        if case .key(let key) = step, key.text.utf8.count > room { return true }
        let step = PropertyListPath.text(of: [step])
        guard step.utf8.starts(with: typedRest) || typedRest.starts(with: step.utf8) else { return true }
        return next.append(text + step, value, in: room)
      }
      switch value {
      case .array(let elements) where !elements.isEmpty:
        isLonger = true
        for (index, element) in elements.enumerated() where !add(.index(index), element) { return next }
      case .dictionary(let entries) where !entries.isEmpty:
        isLonger = true
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) where !add(.key(key), value) {
          return next
        }
      default:
        guard next.append(text, value, in: room) else { return next }
      }
    }
    return isLonger ? next : nil
  }

  /// Adds a path; false if there is no room for it.
  private mutating func append(_ text: String, _ value: PropertyList, in room: Int) -> Bool {
    guard byteCount + text.utf8.count <= room else {
      isComplete = false
      return false
    }
    byteCount += text.utf8.count
    candidates.append((text, value))
    return true
  }
}
