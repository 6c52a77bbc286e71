import DefaultsDatabase
import OpenStepPropertyList
import TestSupport
import Testing

/// Saves of a domain whose file is an XML document.
@Suite struct XMLDomainTests {
  private let home: TemporaryHome
  private let app: DomainName
  private let database: UserDatabase

  init() throws {
    home = try TemporaryHome()
    app = try DomainName("App")
    database = UserDatabase(directory: home.path)
    try home.write(XMLDomainTests.document(count: 1), to: "App.plist")
  }

  /// A document as Foundation lays it out, but for the array, the number and the date.
  private static func document(count: Int) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>Array</key>
    \t<array><true/><false/></array>
    \t<key>Count</key>
    \t<integer>\(count)</integer>
    \t<key>Real</key>
    \t<real>1e3</real>
    </dict>
    </plist>

    """
  }

  private func commit(_ value: PropertyList?, for key: PropertyListKey) throws {
    var changes = DomainChanges()
    if let value { changes.set(value, for: key) } else { changes.remove(key) }
    _ = try database.commit(changes, to: app, onDamage: .refuse)
  }

  @Test("a save changes the lines of its keys, and leaves all other bytes")
  func otherLines() throws {
    try commit(.integer(2), for: "Count")
    #expect(try home.text(of: "App.plist") == XMLDomainTests.document(count: 2))
    #expect(
      try database.load(app).values == [
        "Array": [.boolean(true), .boolean(false)], "Count": .integer(2), "Real": .real(1000),
      ])
  }

  @Test(
    "what XML cannot hold makes the domain text, with all that it held",
    arguments: [.float(1), "\u{1}"] as [PropertyList])
  func becomesText(value: PropertyList) throws {
    try commit(value, for: "New")
    #expect(try !home.text(of: "App.plist").hasPrefix("<?xml"))
    #expect(
      try database.load(app).values == [
        "Array": [.boolean(true), .boolean(false)], "Count": .integer(1), "Real": .real(1000), "New": value,
      ])
  }

  @Test("the last key's removal removes the file")
  func lastKey() throws {
    for key in ["Array", "Count", "Real"] { try commit(nil, for: PropertyListKey(key)) }
    #expect(!home.exists("App.plist"))
  }
}
