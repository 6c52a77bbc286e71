import OpenStepPropertyList
import Testing

@testable import DefaultsDatabase

/// Which files are looked at now, and which later, by a clock of the test's own.
struct LookScheduleTests {
  private let start = MonotonicTime.now

  // A file of 60 MB whose time was set again and again took two thirds of a processor, and delayed small ones by six
  // seconds.
  @Test("a file that takes long is looked at a quarter of the time, and others wait a second at most")
  func slowFile() {
    var schedule = LookSchedule()
    var now = start
    var looks = 0.0
    for _ in 0..<100 {
      now = now + max(schedule.pause(at: now), schedule.slowPause(at: now)) + 2
      schedule.add(2, for: ["Big.plist"], at: now)
      looks += 2
      #expect(schedule.pause(at: now) <= 1)
    }
    #expect((0.2...0.26).contains(looks / now.seconds(since: start)))
    #expect(schedule.next(of: ["Big.plist", "Small.plist"], takingSlow: false) == ["Small.plist"])
    #expect(schedule.next(of: ["Big.plist"], takingSlow: false) == [])
  }

  @Test("of several files that took long together each is looked at alone once, without a wait for slow ones")
  func suspects() {
    var schedule = LookSchedule()
    var files: Set<PropertyListKey> = ["a", "b", "c"]
    schedule.add(0.3, for: files, at: start)
    files.insert("d")
    for number in 1...3 {
      let next = schedule.next(of: files, takingSlow: false)
      #expect(next.count == 1 && next != ["d"])
      files.subtract(next)
      schedule.add(next == ["a"] ? 0.3 : 0.01, for: next, at: start + Double(number))
    }
    #expect(schedule.next(of: ["a", "b", "c", "d"], takingSlow: false) == ["b", "c", "d"])
    #expect(schedule.next(of: ["a", "b", "c", "d"], takingSlow: true) == ["a"])
  }

  @Test("a slow file waits neither for quick ones that change all the time, nor for other slow ones")
  func turns() {
    var schedule = LookSchedule()
    var looks: [PropertyListKey: Int] = [:]
    let files: Set<PropertyListKey> = ["a", "b", "c", "d", "quick"]
    for (number, file) in files.sorted().dropLast().enumerated() {
      schedule.add(1, for: [file], at: start + Double(number))
    }
    for number in 1...40 {
      let next = schedule.next(of: files, takingSlow: true)
      #expect(next.count == 1)
      for file in next {
        looks[file, default: 0] += 1
        schedule.add(1, for: [file], at: start + 100 * Double(number))
      }
    }
    #expect(looks == ["a": 10, "b": 10, "c": 10, "d": 10])
    #expect(schedule.next(of: files, takingSlow: false) == ["quick"])
  }

  @Test("quick looks do not delay slow ones, and a look that was held up delays them ten seconds at most")
  func paces() {
    var schedule = LookSchedule()
    for _ in 0..<100 { schedule.add(0.09, for: ["a"], at: start) }
    #expect(schedule.slowPause(at: start) == 0)
    #expect(schedule.pause(at: start) == 1)
    schedule.add(3600, for: ["a"], at: start + 1)
    #expect((9.9...10).contains(schedule.slowPause(at: start + 1)))
    #expect(schedule.slowPause(at: start + 12) == 0)
  }

  @Test("the number of files that may take long is bounded")
  func bound() {
    var schedule = LookSchedule()
    for number in 0..<5000 { schedule.add(1, for: [PropertyListKey("\(number)")], at: start) }
    let all = Set((0..<5000).map { PropertyListKey("\($0)") })
    let slowCount = all.count - schedule.next(of: all, takingSlow: false).count
    #expect((1...1024).contains(slowCount))
    #expect(schedule.next(of: ["4999"], takingSlow: false) == [])
  }
}
