import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsImport

struct DomainImportTests {
  private let home: TemporaryHome
  private let database: UserDatabase
  private let app: DomainName

  init() throws {
    home = try TemporaryHome()
    database = UserDatabase(directory: home.path)
    app = try DomainName("App")
  }

  private func carry(
    _ values: [PropertyListKey: PropertyList], _ policy: DomainImport.Policy, isRehearsal: Bool = false
  ) throws -> DomainImport.Effect {
    try DomainImport(into: database, policy: policy, isRehearsal: isRehearsal)
      .carry(ImportedDomain(name: app, values: values, kind: .openStep, path: "/old/App.plist"))
  }

  private func values() throws -> [PropertyListKey: PropertyList] { try database.load(app).values }

  @Test("a domain that is not there is made, with its types")
  func made() throws {
    #expect(try carry(["a": .integer(5)], .keep, isRehearsal: true) == .made)
    #expect(!home.exists("App.plist"))
    #expect(try carry(["a": .integer(5)], .keep) == .made)
    #expect(try values() == ["a": .integer(5)])
    #expect(try home.text(of: "App.plist") == "{\n    a = 5 /*integer*/;\n}\n")
  }

  @Test("a domain that is there stays, unless it is the same", arguments: [false, true])
  func kept(isRehearsal: Bool) throws {
    try home.write("{ a = b; }", to: "App.plist")
    #expect(try carry(["a": "b"], .keep, isRehearsal: isRehearsal) == .nothing)
    for values in [["a": "c"], ["c": "d"], ["a": "b", "c": "d"]] as [[PropertyListKey: PropertyList]] {
      #expect {
        try carry(values, .keep, isRehearsal: isRehearsal)
      } throws: { error in
        (error as? DatabaseError)?.kind == .refused
          && "\(error)".hasPrefix(
            "\(home.path)/App.plist: the domain “App” is there already, with 1 key; it was left as it is: ")
      }
    }
    #expect(try home.text(of: "App.plist") == "{ a = b; }")
  }

  @Test("merging lets the store's keys win and keeps the others")
  func merged() throws {
    try home.write("{ a = b; c = d; }", to: "App.plist")
    #expect(try carry(["a": "x", "e": "f"], .merge, isRehearsal: true) == .merged)
    #expect(try values() == ["a": "b", "c": "d"])
    #expect(try carry(["a": "x", "e": "f"], .merge) == .merged)
    #expect(try values() == ["a": "x", "c": "d", "e": "f"])
    #expect(try carry(["a": "x"], .merge) == .nothing)
  }

  @Test("replacing makes the domain the store's")
  func replaced() throws {
    try home.write("{ a = b; c = d; }", to: "App.plist")
    #expect(try carry(["a": "x"], .replace, isRehearsal: true) == .replaced)
    #expect(try values() == ["a": "b", "c": "d"])
    #expect(try carry(["a": "x"], .replace) == .replaced)
    #expect(try values() == ["a": "x"])
  }

  @Test("a domain without keys is none, and takes nothing away")
  func empty() throws {
    try home.write("{ a = b; }", to: "App.plist")
    #expect(try carry([:], .keep) == .nothing)
    #expect(try carry([:], .merge) == .nothing)
    #expect(try carry([:], .replace) == .nothing)
    #expect(try home.text(of: "App.plist") == "{ a = b; }")
  }

  @Test(
    "a damaged domain of the database keeps every byte, unless it is replaced as a whole",
    arguments: [DomainImport.Policy.keep, .merge], [false, true])
  func damaged(policy: DomainImport.Policy, isRehearsal: Bool) throws {
    try home.write("{ a = ", to: "App.plist")
    #expect {
      try carry(["a": "b"], policy, isRehearsal: isRehearsal)
    } throws: {
      let error = $0 as? DatabaseError
      return error?.kind == .damaged
        && error?.advice.contains("“-replace” puts /old/App.plist in its place") == true
    }
    #expect(try home.text(of: "App.plist") == "{ a = ")
  }

  @Test("replacing a damaged domain keeps its file, every byte, under a name that is told")
  func replacedDamage() throws {
    try home.write("{ a = ", to: "App.plist")
    #expect(
      try carry(["a": "b"], .replace, isRehearsal: true)
        == .movedAside(notice: "is damaged; the damaged file would be kept under another name"))
    #expect(try home.text(of: "App.plist") == "{ a = ")
    guard case .movedAside(let notice) = try carry(["a": "b"], .replace) else {
      Issue.record("the damaged file is not told of")
      return
    }
    let start = "was damaged; the damaged file was kept as \(home.path)/"
    try #require(notice.hasPrefix(start), "\(notice)")
    #expect(try home.text(of: String(notice.dropFirst(start.count))) == "{ a = ")
    #expect(try values() == ["a": "b"])
  }

  @Test("types that Window Maker's files do not hold are told of, unless the domain has another file")
  func windowMaker() throws {
    let domain = ImportedDomain(
      name: try DomainName("WMState"),
      values: ["Count": .integer(1), "List": [["x": .boolean(true)]], "Name": "é"],
      kind: .macOS, path: "/old/WMState.plist")
    let action = DomainImport(into: database, policy: .replace)
    #expect(
      action.remarks(on: domain)
        == ["Count", "List"].map {
          ImportRemark(
            .loss, path: "/old/WMState.plist", key: $0, of: "WMState",
            "has a number, a truth value or a date, for which Window Maker's files have a string")
        })
    #expect(try action.carry(domain) == .made)
    let text = try home.text(of: "WMState")
    #expect(!text.contains("/*"))
    var options = PropertyList.ParsingOptions()
    options.octalEscapes = .utf8Bytes
    #expect(
      try PropertyList(parsing: text, options: options)
        == ["Count": "1", "List": [["x": "YES"]], "Name": "é"])
    try home.write("{}", to: "WMState.plist")
    #expect(action.remarks(on: domain).isEmpty)
    #expect(try action.carry(domain) == .made)
    #expect(try database.load(domain.name).values == domain.values)
  }

  @Test("what GNUstep's files do not hold exactly is told of for GNUstep's database, and only there")
  func capacity() throws {
    let domain = ImportedDomain(
      name: app,
      values: [
        "Date": .date(PropertyListDate(secondsSinceReferenceDate: 0.25)), "Float": [["x": .float(0.5)]],
        "Fine": [
          .real(0.5), .date(PropertyListDate(secondsSinceReferenceDate: 0)), "\u{1B}",
          .integer(PropertyListInteger(Int64.max)), "a\u{FEFF}", "a\u{FFFE}",
        ], "Large": .integer(PropertyListInteger(exactly: UInt64.max) ?? 0),
        "Mark": [["\u{FEFF}k": "x"]],
      ], kind: .macOS, path: "/old/App.plist")
    let gnustep = DomainImport(
      into: UserDatabase(directory: home.path, dialect: .gnustep), policy: .keep)
    let remarks = gnustep.remarks(on: domain)
    #expect(remarks.map(\.weight) == [.loss, .loss, .loss, .loss])
    for (remark, key) in zip(remarks, ["Date", "Float", "Large", "Mark"]) {
      #expect(remark.text.contains("the key “\(key)”"), "\(remark.text)")
    }
    #expect(remarks[2].text.hasSuffix("which GNUstep's programs take for 9223372036854775807"))
    #expect(remarks[3].text.contains("begins with \\u{FEFF}, which"))
    #expect(DomainImport(into: database, policy: .keep).remarks(on: domain).isEmpty)
  }
}
