#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import DefaultsDatabase

  /// Paths through links, which the administrator follows with a user's rights: they lead where the system's own calls lead,
  /// except into the file system of the processes.
  @Suite(.enabled(if: Administrator.isExpected, Comment(rawValue: Administrator.absence)))
  struct LinkedPathTests {
    private let home: TemporaryHome
    private let disk = DiskFileSystem()
    private let nobody = FileRights(ofUser: 65534)

    init() throws {
      home = try TemporaryHome()
      #expect(chmod(home.path, 0o755) == 0)
    }

    /// What an operation finds, or its error.
    private enum Found: Equatable {
      case file(UInt64)
      case failure(SystemError)
    }

    private func found(_ look: () throws(SystemError) -> FileStatus) -> Found {
      do throws(SystemError) {
        return .file(try look().inode)
      } catch {
        return .failure(error)
      }
    }

    /// What each way of opening a path and of asking for its status finds.
    private func looks(at path: String) -> [Found] {
      let purposes: [OpenPurpose] = [.reading, .readingThrough, .directory]
      return purposes.map { purpose in
        found { () throws(SystemError) in
          let descriptor = try disk.open(path, for: purpose)
          defer { disk.close(descriptor) }
          return try disk.status(of: descriptor)
        }
      }
        + [true, false].map { isFollowed in
          found { () throws(SystemError) in try disk.status(at: path, followingLinks: isFollowed) }
        }
    }

    /// The same by the system's own calls, with the rights that the thread has.
    private func systemsLooks(at path: String) -> [Found] {
      var status = stat()
      func found(_ result: Int32) -> Found {
        result < 0 ? .failure(SystemError(code: errno)) : .file(UInt64(status.st_ino))
      }
      let purposes: [OpenPurpose] = [.reading, .readingThrough, .directory]
      return purposes.map { purpose in
        let descriptor = open(path, DiskFileSystem.flags(for: purpose))
        if descriptor < 0 { return found(descriptor) }
        defer { close(descriptor) }
        return found(fstat(descriptor, &status))
      } + [found(stat(path, &status)), found(lstat(path, &status))]
    }

    /// A link, whoever it belongs to.
    private func link(_ name: String, to text: String, of owner: uid_t = 65534) {
      #expect(symlink(text, home.path(name)) == 0 && lchown(home.path(name), owner, owner) == 0)
    }

    @Test("a path through links leads with a user's rights where it leads without", arguments: 0..<4)
    func likeTheSystem(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      try FileManager.default.createDirectory(
        atPath: home.path("a/b/c"), withIntermediateDirectories: true)
      try home.write("x", to: "a/b/c/file")
      try home.write("y", to: "file")
      #expect(chmod(home.path("a/b/c/file"), 0o644) == 0 && chmod(home.path("file"), 0o644) == 0)
      for folder in ["a", "a/b", "a/b/c"] { #expect(chmod(home.path(folder), 0o755) == 0) }
      let names = ["a", "b", "c", "file", "..", ".", "l0", "l1", "l2", "l3", "absent", "\u{301}mark"]
      func path() -> String {
        let count = Int.random(in: 1...5, using: &generator)
        let parts = (0..<count).map { _ in names.randomElement(using: &generator) ?? "a" }
        return parts.joined(separator: Bool.random(using: &generator) ? "/" : "//")
          + (Int.random(in: 0..<6, using: &generator) == 0 ? "/" : "")
      }
      for folder in ["", "a/", "a/b/"] {
        for name in ["l0", "l1", "l2", "l3", "\u{301}mark"] {
          let isAbsolute = Int.random(in: 0..<4, using: &generator) == 0
          link(
            folder + name, to: (isAbsolute ? home.path + "/" : "") + path(),
            of: Bool.random(using: &generator) ? 0 : 65534)
        }
      }
      for _ in 0..<1000 {
        let path = home.path + "/" + path()
        let (found, expected) = try nobody.with(towards: path) { () throws(DatabaseError) in
          (looks(at: path), systemsLooks(at: path))
        }
        #expect(found == expected, "\(path)")
      }
    }

    @Test("forty links are followed, and one more is not; together their texts may be longer than a path")
    func bounds() throws {
      try home.write("x", to: "end")
      #expect(chmod(home.path("end"), 0o644) == 0)
      link("1", to: "end")
      for number in 2...41 { link("\(number)", to: "\(number - 1)") }
      link("long", to: String(repeating: "./", count: 2000) + "long2")
      link("long2", to: String(repeating: "./", count: 2000) + "end")
      for path in ["40", "41", "long", "long/" + String(repeating: "./", count: 1000), "end/"] {
        let path = home.path(path)
        let (found, expected) = try nobody.with(towards: path) { () throws(DatabaseError) in
          (looks(at: path), systemsLooks(at: path))
        }
        #expect(found == expected, "\(path)")
      }
      #expect(looks(at: home.path("40"))[1] != .failure(.tooManyLinks))
      #expect(looks(at: home.path("41"))[1] == .failure(.tooManyLinks))
    }

    // Whoever opened such a file waited as long as the user's process wanted.
    @Test("no path leads into the file system of the processes but to this process's own files")
    func processes() throws {
      let own = "/proc/\(getpid())"
      link("status", to: own + "/status")
      link("folder", to: own)
      link("indirect", to: "folder/status")
      link("up", to: own + "/../self/status")
      link("administrators", to: own + "/status", of: 0)
      link("behind", to: "administrators")
      for path in ["status", "folder", "folder/status", "indirect", "up", "behind"] {
        let path = home.path(path)
        let found = try nobody.with(towards: path) { () throws(DatabaseError) in looks(at: path) }
        #expect(found[1] == .failure(.notSupported) && found[3] == .failure(.notSupported), "\(path)")
        // The administrator, who reaches the path with the rights of whoever can change where it leads.
        var kind: DatabaseError.Kind?
        do throws(DatabaseError) {
          try FileRights.reaching(path) {}
        } catch {
          kind = error.kind
        }
        #expect(kind == .refused, "\(path)")
      }
      let path = home.path("administrators")
      let found = try nobody.with(towards: path) { () throws(DatabaseError) in looks(at: path) }
      #expect(found[1] == .failure(.notSupported) && found[3] == .failure(.notSupported))
      for path in [own + "/status", own + "/map_files", "/proc/self/../self/status"] {
        let found = try nobody.with(towards: path) { () throws(DatabaseError) in looks(at: path) }
        #expect(found == Array(repeating: .failure(.notSupported), count: found.count), "\(path)")
      }
      let bytes = try nobody.with(towards: "/proc/self/status") { () throws(DatabaseError) in
        try? disk.contents(ofFileOrPipe: "/proc/self/status")
      }
      #expect(bytes?.isEmpty == false)
    }

    @Test("another user's link in a directory where everybody may make files is not followed")
    func sharedDirectory() throws {
      try home.write("x", to: "end")
      #expect(chmod(home.path("end"), 0o644) == 0)
      try FileManager.default.createDirectory(
        atPath: home.path("shared"), withIntermediateDirectories: false)
      #expect(chmod(home.path("shared"), 0o1777) == 0)
      link("shared/own", to: "../end")
      link("shared/others", to: "../end", of: 65533)
      link("shared/administrators", to: "../end", of: 0)
      let end = Found.file(try disk.status(at: home.path("end"), followingLinks: false).inode)
      for (name, isFollowed) in [("own", true), ("others", false), ("administrators", true)] {
        let path = home.path("shared/\(name)")
        let found = try nobody.with(towards: path) { () throws(DatabaseError) in looks(at: path) }
        #expect(found[1] == (isFollowed ? end : .failure(.notPermitted)), "\(name): \(found)")
      }
    }

    // One call of the system for each name would take a tenth of a second.
    @Test("links whose texts have very many names are followed in about the time that the system takes")
    func manyNames() throws {
      try FileManager.default.createDirectory(atPath: home.path("d"), withIntermediateDirectories: false)
      #expect(chmod(home.path("d"), 0o755) == 0)
      try home.write("x", to: "d/end")
      #expect(chmod(home.path("d/end"), 0o644) == 0)
      link("folder", to: "d")
      let steps = String(repeating: "d/../", count: 400)
      for (name, text) in [
        ("dots", String(repeating: "./", count: 2000)), ("steps", steps + steps),
        ("early", "folder/../" + steps + steps),
        ("middle", steps + "folder/../" + steps), ("late", steps + steps + "folder/../"),
      ] {
        link(name + "0", to: "d/end")
        for number in 1...19 { link("\(name)\(number)", to: text + "\(name)\(number - 1)") }
        let path = home.path(name + "19")
        let (found, expected, ratio) = try nobody.with(towards: path) { () throws(DatabaseError) in
          var (found, expected): ([Found], [Found]) = ([], [])
          let own = processorTime { found = looks(at: path) }
          let systems = processorTime { expected = systemsLooks(at: path) }
          return (found, expected, own / systems)
        }
        #expect(found == expected, "\(name)")
        #expect(ratio < 30, "\(name)")
      }
      link("mounts0", to: "d/end")
      for number in 1...2 {
        link(
          "mounts\(number)", to: String(repeating: "/dev/../", count: 500) + home.path("mounts\(number - 1)"))
      }
      // Each way into another file system takes some calls of its own.
      for (name, end) in [
        ("mounts0", Found.file(try disk.status(at: home.path("d/end"), followingLinks: false).inode)),
        ("mounts2", .failure(.tooManyLinks)),
      ] {
        let path = home.path(name)
        let found = try nobody.with(towards: path) { () throws(DatabaseError) in looks(at: path) }
        #expect(found[1] == end, "\(name)")
      }
    }

    /// The least time of the processor that a work takes on this thread, in seconds, of some tries.
    private func processorTime(_ work: () -> Void) -> Double {
      func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      return (0..<5).map { _ in
        let start = now()
        work()
        return now() - start
      }.min() ?? 0
    }

    @Test("a file is made as by the system: not where a link leads, and not of a directory's name")
    func making() throws {
      #expect(chmod(home.path, 0o777) == 0)
      link("link", to: "target")
      link("shared", to: "named/")
      link("folder", to: ".")
      let names = ["link", "link/", "shared", "new/", "folder/new/", ".", "folder/./", "folder/..", "link/."]
      for path in names.map(home.path) {
        let (error, expected) = try nobody.with(towards: home.path) { () throws(DatabaseError) in
          var error: SystemError?
          do throws(SystemError) {
            disk.close(try disk.open(path, for: .creating))
          } catch let caught {
            error = caught
          }
          return (
            error,
            open(path, DiskFileSystem.flags(for: .creating), 0o600) < 0 ? SystemError(code: errno) : nil
          )
        }
        #expect(error == expected && expected != nil, "\(path): \(String(describing: expected))")
      }
    }

    // The system's own calls follow such links, whatever the rights are, and also into another process's files.
    @Test("neither a slash at a path's end nor a question for an access list leads through a link of /proc")
    func withoutOpening() throws {
      let (open, own) = (home.path("open"), home.path("own"))
      for directory in [open, own] {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        #expect(chmod(directory, 0o775) == 0)
      }
      let descriptor = try disk.open(open, for: .directory)
      defer { disk.close(descriptor) }
      link("link", to: "/proc/self/fd/\(descriptor)")
      link("plain", to: "own")
      try nobody.with(towards: home.path) { () throws(DatabaseError) in
        for path in [home.path("link"), home.path("link/")] {
          #expect(DiskFileSystem.hasAccessList(path, followingLinks: true), "\(path)")
        }
        for isFollowed in [true, false] {
          #expect(
            found { () throws(SystemError) in
              try disk.status(at: home.path("link/"), followingLinks: isFollowed)
            } == .failure(.notSupported))
        }
        // A link that leads to a directory of the file system is followed as ever.
        #expect(!DiskFileSystem.hasAccessList(home.path("plain"), followingLinks: true))
        let expected = found { () throws(SystemError) in try disk.status(at: own, followingLinks: false) }
        for path in ["plain/", "plain//", "own/", "own"] {
          let status = found { () throws(SystemError) in
            try disk.status(at: home.path(path), followingLinks: false)
          }
          #expect(status == expected, "\(path)")
        }
        #expect(DiskFileSystem.hasAccessList(home.path("none/"), followingLinks: true))
      }
    }

    // Such a link led the administrator into a file system that never answered.
    @Test("a link that has taken a directory's place is not followed to see whether that has an access list")
    func listBehindLink() throws {
      try FileManager.default.createDirectory(
        atPath: home.path("listed"), withIntermediateDirectories: false)
      let list = ExtendedAttribute.accessList(letting: 65534, have: 7, group: 5, others: 5)
      try #require(ExtendedAttribute.set(ExtendedAttribute.accessList, to: list, of: home.path("listed")))
      link("way", to: "listed")
      #expect(DiskFileSystem.hasAccessList(home.path("listed"), followingLinks: false))
      #expect(!DiskFileSystem.hasAccessList(home.path("way"), followingLinks: false))
      #expect(DiskFileSystem.hasAccessList(home.path("way"), followingLinks: true))
    }

    @Test("a user's configuration of GNUstep that is a link to a file of a process is not read")
    func configuration() throws {
      link(".GNUstep.conf", to: "/proc/self/status")
      var (ignored, failure): ([String], DatabaseError?) = ([], nil)
      let bytes = InstallationFile.bytes(
        of: home.path(".GNUstep.conf"), actingFor: try Account(user: 65534), disk, &ignored, &failure)
      #expect(bytes == nil && ignored.count == 1 && failure == nil, "\(ignored)")
    }
  }
#endif
