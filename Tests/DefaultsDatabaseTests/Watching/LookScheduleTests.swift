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
    #expect(schedule.slowFiles == ["Big.plist"])
  }

  @Test("of several files that took long together each is looked at alone, until it proves to be quick")
  func suspects() {
    var schedule = LookSchedule()
    schedule.add(0.3, for: ["a", "b"], at: start)
    #expect(schedule.slowFiles == ["a", "b"])
    schedule.add(0.01, for: ["a"], at: start + 2)
    #expect(schedule.slowFiles == ["b"])
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
    #expect(schedule.slowFiles.count <= 1024)
    #expect(schedule.slowFiles.contains("4999"))
  }
}
