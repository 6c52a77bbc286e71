import DefaultsDatabase

/// A change of a key, and the observers to be notified of it.
struct Announcement {
  var number: Int
  var change: KeyChange
  let audience: [ObservedKey.Observer]
  /// The thread that made the change; nil for several, or for one that is not known any more.
  var maker: UInt?
  /// The index of the next observer to be notified.
  var next = 0
  /// About how many bytes the new value takes; 0 if no other change waited when it was added.
  var byteCount = 0
}

/// The changes of a key that wait, in order.
///
/// Their number and their values' memory are bounded (``KeyObservers/waitingLimit``, ``KeyObservers/waitingByteLimit``),
/// because threads and other processes may change a key faster than its observers return: further changes become one with
/// the last. Where that has other observers, they become one with the last of each observer, so that observers that come and
/// go, or that are meant by every other change, leave no queue without a bound.
struct AnnouncementQueue {
  private var announcements: [Announcement] = []
  /// The index of the first one; those before it have been delivered.
  private var front = 0
  /// About how many bytes the values of all changes take.
  private var byteCount = 0
  /// How many announcements were removed before the present ones; with an index it makes a position that never changes.
  private var removedCount = 0
  /// The position of the last announcement of each observer, where that has no other observer and stands behind all that
  /// have. Some of these announcements have been delivered.
  private var ownPositions: [ObjectIdentifier: Int] = [:]
  /// How many of them there are before those of ended observers are looked for.
  private var ownLimit = AnnouncementQueue.smallestOwnLimit
  private static let smallestOwnLimit = 16

  var first: Announcement? { announcements[front...].first }

  /// The next observer to be notified of the first change; nil if all have been.
  var nextObserver: ObservedKey.Observer? {
    guard front < announcements.count, announcements[front].next < announcements[front].audience.count else {
      return nil
    }
    return announcements[front].audience[announcements[front].next]
  }

  /// Counts the next observer as notified of the first change.
  mutating func passObserver() {
    announcements[front].next += 1
  }

  /// Whether so many changes wait that the next becomes one with the last, of which no observer knows yet.
  var isFull: Bool { isOverLimit && (announcements.last.map(AnnouncementQueue.mayGrow) ?? false) }

  private var isOverLimit: Bool {
    announcements.count - front >= KeyObservers.waitingLimit || byteCount >= KeyObservers.waitingByteLimit
  }

  /// Whether another change may become one with an announcement.
  private static func mayGrow(_ announcement: Announcement) -> Bool {
    announcement.change.kind == .change && announcement.next == 0
  }

  /// Adds a change; makes it one with the last one if the queue is full, and both have the same audience, or with the last
  /// one of each observer.
  mutating func append(_ announcement: Announcement) {
    var announcement = announcement
    // Most changes wait for nothing, and their values are not counted.
    if front < announcements.count { announcement.byteCount = announcement.change.newValue?.byteCount ?? 0 }
    guard isOverLimit, announcement.change.kind == .change, let last = announcements.last else {
      add(announcement)
      return
    }
    if AnnouncementQueue.mayGrow(last), last.audience.elementsEqual(announcement.audience, by: ===) {
      merge(announcement, into: announcements.count - 1)
      return
    }
    if announcement.audience.isEmpty { add(announcement) }
    for observer in announcement.audience {
      var own = Announcement(
        number: announcement.number, change: announcement.change, audience: [observer],
        maker: announcement.maker)
      own.byteCount = announcement.byteCount
      if let index = ownIndex(of: observer) {
        merge(own, into: index)
      } else {
        if ownPositions.count >= ownLimit { forgetEnded() }
        announcements.append(own)
        byteCount += own.byteCount
        ownPositions[ObjectIdentifier(observer)] = removedCount + announcements.count - 1
      }
    }
  }

  /// The index of an observer's own announcement, if that may grow.
  private func ownIndex(of observer: ObservedKey.Observer) -> Int? {
    guard let position = ownPositions[ObjectIdentifier(observer)], position >= removedCount + front else {
      return nil
    }
    let index = position - removedCount
    // Another observer may have had the same address before.
    return announcements[index].audience[0] === observer && AnnouncementQueue.mayGrow(announcements[index])
      ? index : nil
  }

  /// Removes what observers that have ended would have been told, from the announcements that have one observer each.
  ///
  /// - Complexity: linear in their number; called after that has doubled.
  private mutating func forgetEnded() {
    guard let position = ownPositions.values.min() else { return }
    let start = min(max(front + 1, position - removedCount), announcements.count)
    for announcement in announcements[start...] where announcement.audience[0].hasEnded {
      byteCount -= announcement.byteCount
    }
    announcements.replaceSubrange(start..., with: announcements[start...].filter { !$0.audience[0].hasEnded })
    ownPositions = [:]
    for index in start..<announcements.count {
      ownPositions[ObjectIdentifier(announcements[index].audience[0])] = removedCount + index
    }
    ownLimit = max(AnnouncementQueue.smallestOwnLimit, 2 * ownPositions.count)
  }

  /// Adds an announcement that may have several observers.
  private mutating func add(_ announcement: Announcement) {
    byteCount += announcement.byteCount
    announcements.append(announcement)
    ownPositions = [:]
  }

  private mutating func merge(_ announcement: Announcement, into index: Int) {
    byteCount += announcement.byteCount - announcements[index].byteCount
    announcements[index].byteCount = announcement.byteCount
    announcements[index].change.newValue = announcement.change.newValue
    announcements[index].number = announcement.number
    if announcements[index].maker != announcement.maker { announcements[index].maker = nil }
  }

  /// Puts the changes that an observer has missed before the others.
  ///
  /// Other threads made them: the calling one does not deliver them all before its call returns.
  mutating func insert(_ missed: AnnouncementQueue, for observer: ObservedKey.Observer) {
    byteCount += missed.byteCount
    announcements.insert(
      contentsOf: missed.announcements[missed.front...].map {
        var announcement = Announcement(number: 0, change: $0.change, audience: [observer], maker: nil)
        announcement.byteCount = $0.byteCount
        return announcement
      }, at: front)
    // Those behind keep their positions. Those before, which have been delivered, would get the positions of the new ones.
    ownPositions = ownPositions.filter { $0.value >= removedCount + front }
    removedCount -= missed.announcements.count - missed.front
  }

  /// Removes the first change, and gives it; nil if there is none.
  @discardableResult
  mutating func removeFirst() -> KeyChange? {
    guard let change = first?.change else { return nil }
    // Whoever removes it decides when its values are released.
    announcements[front].change.oldValue = nil
    announcements[front].change.newValue = nil
    byteCount -= announcements[front].byteCount
    front += 1
    if front == announcements.count {
      // The memory of many changes is given back.
      announcements.removeAll(keepingCapacity: announcements.capacity <= 64)
      if !ownPositions.isEmpty { ownPositions = [:] }
      (removedCount, front) = (0, 0)
    } else if front > announcements.count / 2 {
      // At half, so that each one is moved once on average.
      announcements.removeFirst(front)
      (removedCount, front) = (removedCount + front, 0)
    }
    return change
  }
}
