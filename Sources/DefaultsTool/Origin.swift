import DefaultsDatabase
import OpenStepPropertyList

/// What one domain of a search list says about a key.
struct Origin {
  /// Whether the domain decides the value, and how.
  enum State: String {
    /// Lookups find its value.
    case wins
    /// Lookups find its value, which the administrator sets.
    case forced
    /// It has a value, and a domain before it has one as well.
    case shadowed
    /// It has none.
    case absent
    /// It exists only inside a program, its values come from the system's locale data, or its file cannot be read.
    case unknown
  }

  /// The domain's name; `managed` for the administrator's values.
  let domain: String
  var state: State
  var value: PropertyList?
  /// The domain's file; nil if it has no value.
  var file: String?
  /// The place of the value in that file; nil if it is no text.
  var position: PropertyListPosition?

  /// Whether lookups find its value.
  var isWinner: Bool { state == .wins || state == .forced }

  /// `path:line:column`; empty if there is no file.
  var place: String {
    guard let file else { return "" }
    return file + (position.map { ":\($0.line):\($0.column)" } ?? "")
  }
}

extension Origin {
  /// What each domain says that a program named after a domain searches, in its order.
  ///
  /// - Parameters:
  ///   - languages: The names of the language domains.
  ///   - key: The key, or the path to a value, which every domain is searched for.
  ///   - report: Takes the error of a file that cannot be read, in which programs find nothing, and whether it is the
  ///     administrator's.
  /// - Throws: what the closure throws.
  static func all(
    of key: KeyArgument, in domain: DomainName, _ database: UserDatabase, managed: UserDatabase?,
    languages: [String], reporting report: (DatabaseError, _ isManaged: Bool) throws -> Void
  ) throws -> [Origin] {
    var origins: [Origin] = []
    func add(_ name: String, _ domain: DomainName, in database: UserDatabase, isManaged: Bool) throws {
      var contents: DomainContents?
      var state = State.absent
      do {
        contents = try database.contents(of: domain)
        if let damage = contents?.domain.damage { throw damage }
      } catch let error as DatabaseError {
        (contents, state) = (nil, .unknown)
        try report(error, isManaged)
      }
      let root = PropertyList.dictionary(contents?.domain.values ?? [:])
      guard let contents, contents.domain.identity != nil, let value = try? root.value(at: key.path) else {
        // The administrator's two files are one domain here.
        if !isManaged { origins.append(Origin(domain: name, state: state)) }
        return
      }
      let isFirst = !origins.contains(where: \.isWinner)
      var origin = Origin(
        domain: name, state: !isFirst ? .shadowed : isManaged ? .forced : .wins, value: value,
        file: database.path(of: domain))
      origin.position = key.path.places(in: root).flatMap { contents.position(of: $0) }
      origins.append(origin)
    }
    let domains = domain == .global ? [domain] : [domain, .global]
    if let managed {
      for domain in domains { try add("managed", domain, in: managed, isManaged: true) }
    }
    if origins.isEmpty { origins.append(Origin(domain: "managed", state: .absent)) }
    origins.append(Origin(domain: DomainName.argument.text, state: .unknown))
    for domain in domains { try add(domain.text, domain, in: database, isManaged: false) }
    let isSystems = key.topKey?.text.hasBytePrefix("NS") ?? false
    for language in languages {
      origins.append(Origin(domain: language, state: isSystems ? .unknown : .absent))
    }
    origins.append(Origin(domain: DomainName.registration.text, state: .unknown))
    return origins
  }
}
