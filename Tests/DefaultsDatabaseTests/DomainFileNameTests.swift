import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDatabase

/// The names of files that domains' names become, and back.
struct DomainFileNameTests {
  private let home: TemporaryHome
  private let database: UserDatabase

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path + "/Defaults")
  }

  private func save(_ name: String, _ value: String) throws {
    var changes = DomainChanges()
    changes.set(.string(value), for: "k")
    _ = try database.commit(changes, to: DomainName(name), onDamage: .refuse)
  }

  @Test(
    "“/” and what looks like its escape are escaped, and all else stands for itself",
    arguments: [
      ("a/b", "a%2Fb"), ("a%2Fb", "a%252Fb"), ("a%252Fb", "a%25252Fb"), ("/", "%2F"),
      ("../evil", "..%2Fevil"),
      ("%/", "%%2F"), ("%25/", "%25%2F"), ("%2/F", "%2%2FF"), ("%2525", "%2525"), ("100%", "100%"),
      ("a%2fb", "a%2fb"), ("a%20b", "a%20b"), ("%%2F", "%%252F"), ("/%2F", "%2F%252F"),
    ])
  func pairs(name: String, fileName: String) throws {
    #expect(try DomainName(name).fileBaseName(in: .openStep) == fileName)
    #expect(try DomainName(fileBaseName: fileName, in: .openStep).text == name)
  }

  @Test("every name has one file and every file one name")
  func bijection() throws {
    let alphabet = ["/", "%", "2", "5", "F", "a"]
    var names = [""]
    var fileNames: Set<String> = []
    for _ in 0..<6 {
      names = names.flatMap { name in alphabet.map { name + $0 } }
      for name in names {
        let fileName = DomainName.escaped(name)
        #expect(!fileName.contains("/"))
        #expect(DomainName.unescaped(fileName) == name)
        #expect(fileNames.insert(fileName).inserted)
        // A text that can be a file's name is one.
        if !name.contains("/") { #expect(DomainName.escaped(DomainName.unescaped(name)) == name) }
      }
    }
  }

  @Test("domains with such names lie inside the database, side by side, and are listed by their names")
  func insideDatabase() throws {
    let names = ["../evil", "../../evil", "/tmp/evil", "a%252Fb", "a%2Fb", "a/b", "a/b/c"]
    for name in names { try save(name, name) }
    #expect(try home.names() == ["Defaults"])
    #expect(try Set(database.domainNames().map(\.text)) == Set(names))
    for name in names {
      #expect(try database.load(DomainName(name)).values == ["k": .string(name)])
      #expect(try database.load(DomainName(name), unlessStill: nil) != nil)
    }
    for name in names { #expect(try database.remove(DomainName(name)) != nil) }
    #expect(try database.domainNames() == [])
  }

  @Test("a name with an escape never means a file without an extension")
  func bareFiles() throws {
    try save("Other", "x")
    try home.write("{ k = bare; }", to: "Defaults/a%2Fb")
    #expect(try database.domainNames().map(\.text) == ["Other"])
    for name in ["a/b", "a%2Fb"] { #expect(try database.load(DomainName(name)).identity == nil) }
    try save("a/b", "v")
    #expect(try home.text(of: "Defaults/a%2Fb") == "{ k = bare; }")
    #expect(try database.load(DomainName("a/b")).values == ["k": "v"])
  }

  @Test("the dot of the extension is a byte, though it forms one character with the end of some names")
  func charactersAcrossTheDot() throws {
    // An Arabic number sign belongs to the character that follows it.
    let name = "a\u{600}"
    try save(name, "v")
    try home.write("{ k = bare; }", to: "Defaults/\(name)")
    #expect(try database.domainNames().map(\.text) == [name])
    #expect(try !database.isBare(DomainName(name)))
    #expect(try database.hiddenPath(of: DomainName(name)) == home.path("Defaults/\(name)"))
    let shared = UserDatabase(directory: home.path("GNUstep"), dialect: .gnustep)
    var changes = DomainChanges()
    changes.set("v", for: "k")
    _ = try shared.commit(changes, to: DomainName(name), onDamage: .refuse)
    #expect(try home.text(of: "GNUstep/\(name).plist").utf8.starts(with: "<?xml".utf8))
  }

  @Test("a file that cannot be looked at is listed, whatever the reason", arguments: [5, 116])
  func failedLook(code: Int32) throws {
    for name in ["App", "Other"] { try save(name, "v") }
    let path = home.path + "/Defaults"
    let failing = FaultyFileSystem { operation in
      operation.path == "\(path)/App.plist" ? SystemError(code: code) : nil
    }
    let database = UserDatabase(directory: path, fileSystem: failing)
    #expect(try database.domainNames().map(\.text) == ["App", "Other"])
    #expect(throws: DatabaseError.self) { try database.bytes(of: DomainName("App")) }
  }

  @Test("a directory that does not exist has no domains, or is an error")
  func missingDirectory() throws {
    let database = UserDatabase(directory: home.path("Missing"))
    #expect(try database.domainNames() == [])
    let error = #expect(throws: DatabaseError.self) { try database.domainNames(mustExist: true) }
    #expect(error?.kind == .inputOutput(code: SystemError.notFound.code))
  }
}
