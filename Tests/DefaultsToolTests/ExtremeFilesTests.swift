#if os(Linux)
  import DefaultsTool
  import Foundation
  import TestSupport
  import Testing

  /// The tool where files have times and sizes at the ends of what a file system keeps, as a disk in memory does.
  @Suite(.enabled(if: FullDisk.isExpected, Comment(rawValue: FullDisk.absence)))
  struct ExtremeFilesTests {
    private let home: TemporaryHome
    private let disk: FullDisk

    init() throws {
      home = try TemporaryHome()
      disk = try FullDisk(in: home)
    }

    private func run(_ arguments: String...) -> ToolHome.Outcome {
      ToolHome.run(
        arguments, input: [], environment: ["OPENSTEP_DEFAULTS_DIR": disk.path, "HOME": home.path])
    }

    private func makeHuge(_ name: String) {
      let path = "\(disk.path)/\(name)"
      close(open(path, O_WRONLY | O_CREAT, 0o600))
      #expect(truncate(path, Int.max) == 0)
    }

    @Test("a file from either end of time can be put back, read and examined", arguments: [Int.min, .max])
    func time(seconds: Int) throws {
      let file = "\(disk.path)/App.plist"
      #expect(run("write", "App", "k", "1").code == .done)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(run("delete", "App").code == .done)
      try bytes.write(to: URL(fileURLWithPath: file))
      let time = timespec(tv_sec: seconds, tv_nsec: 0)
      #expect(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
      #expect(run("log").code == .done)
      #expect(run("read", "App").output == "App k 1\n")
      #expect(run("doctor").code != .usage)
      #expect(run("undo").code != .usage)
    }

    @Test("sizes whose sum is no number are counted as the largest one, and the history gets its bound back")
    func sizes() throws {
      for count in 1...3 { #expect(run("write", "App", "k", "\(count)").code == .done) }
      for copy in ["1.0.after", "2.0.after", "strange"] { makeHuge(".history/\(copy)") }
      let outcome = run("doctor")
      #expect(outcome.output.contains("takes \(Int.max) bytes"), "\(outcome)")
      _ = run("doctor", "-repair")
      let left = try FileManager.default.contentsOfDirectory(atPath: disk.path + "/.history")
      #expect(!left.contains("1.0.after") && left.contains("strange"))
    }

    // The end of a piece behind its last hole is beyond the largest number.
    @Test("a file of nearly the largest size is copied", arguments: [Int.max, Int.max - (1 << 20) + 1])
    func copy(size: Int) throws {
      let path = "\(disk.path)/App.plist"
      close(open(path, O_WRONLY | O_CREAT, 0o600))
      try #require(truncate(path, off_t(size)) == 0)
      try FileManager.default.createDirectory(
        atPath: "\(disk.path)/copies", withIntermediateDirectories: false)
      let copy = "\(disk.path)/copies/App.plist"
      #expect(run("export", "App", copy).code == .done)
      var status = stat()
      #expect(stat(copy, &status) == 0 && Int(status.st_size) == size)
    }

    @Test("a snapshot of such files is listed")
    func snapshot() throws {
      for name in ["A", "B"] { #expect(run("write", name, "k", "1").code == .done) }
      #expect(run("snapshot", "s").code == .done)
      for name in ["A", "B"] { makeHuge(".history/snapshots/s/\(name).plist") }
      let outcome = run("snapshot")
      #expect(outcome.output.hasSuffix("  2  \(Int.max)\n"), "\(outcome)")
    }
  }
#endif
