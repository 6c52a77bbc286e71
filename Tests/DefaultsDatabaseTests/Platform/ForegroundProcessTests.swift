import DefaultsDatabase
import Testing

struct ForegroundProcessTests {
  @Test("a program that has not ended by the deadline is killed; one that ends by itself has its status")
  func deadline() throws {
    let loop = ["-c", "while :; do :; done"]
    #expect(try ForegroundProcess.run("/bin/sh", loop, until: .now) == .signal(.kill))
    #expect(try ForegroundProcess.run("/bin/sh", ["-c", "exit 3"], until: .now + 600) == .status(3))
    #expect(try ForegroundProcess.run("/bin/sh", ["-c", "exit 4"]) == .status(4))
  }
}
