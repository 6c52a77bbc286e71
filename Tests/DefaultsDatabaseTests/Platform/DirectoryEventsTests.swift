#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// What may be watched with a user's rights.
  @Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  struct DirectoryEventsTests {
    private let home: TemporaryHome

    init() throws {
      home = try TemporaryHome()
      #expect(chmod(home.path, 0o755) == 0)
      for directory in ["secret", "secret/inner", "secret/inner/Defaults", "theirs", "theirs/Defaults"] {
        try FileManager.default.createDirectory(
          atPath: home.path(directory), withIntermediateDirectories: false)
        #expect(chmod(home.path(directory), 0o755) == 0)
      }
      #expect(chmod(home.path("secret"), 0o700) == 0)
      #expect(symlink("/proc/self/cwd", home.path("theirs/away")) == 0)
    }

    // The kernel follows such a link for every thread of the process, whatever the rights of the thread.
    @Test("with a user's rights nothing is watched behind a link of /proc, and what the user may reach is")
    func userRights() async {
      await #expect(processExitsWith: .success) { [path = home.path as String] in
        try #require(chdir(path + "/secret/inner") == 0)
        let events = try DirectoryEvents()
        let nobody = FileRights(ofUser: 65534)
        var numbers: [Int32] = []
        var errors: [SystemError] = []
        try nobody.with(towards: path) { () throws(DatabaseError) in
          for place in ["secret/inner/Defaults", "theirs/away/Defaults", "theirs/Defaults", "theirs/away"] {
            do throws(SystemError) {
              numbers.append(
                try events.watch("\(path)/\(place)", for: place == "theirs/Defaults" ? .entries : .itself))
            } catch {
              errors.append(error)
            }
          }
        }
        #expect(errors == [.notPermitted, .notSupported])
        try #require(numbers.count == 2)
        try Data().write(to: URL(fileURLWithPath: path + "/secret/inner/Defaults/App.plist"))
        try Data().write(to: URL(fileURLWithPath: path + "/theirs/Defaults/App.plist"))
        #expect(rename(path + "/theirs/away", path + "/theirs/gone") == 0)
        let told = Set(events.wait(milliseconds: 0)?.events ?? [])
        let isTold = told.isSuperset(of: [
          .entry(name: "App.plist", of: numbers[0], isNew: true), .gone(numbers[1]),
        ])
        #expect(isTold, "\(told)")
      }
    }
  }
#endif
