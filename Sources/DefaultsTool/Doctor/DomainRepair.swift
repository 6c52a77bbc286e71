import DefaultsDatabase
import OpenStepPropertyList

/// Mends a domain's file.
struct DomainRepair {
  let domain: DomainName
  let database: UserDatabase

  /// What is whole in the domain's file; nil if nothing is.
  func rescued() throws -> RescuedText? {
    let path = database.path(of: domain)
    guard let bytes = try PropertyListFile.bytes(at: path) else { return nil }
    return rescued(from: bytes, at: path)
  }

  private func rescued(from bytes: [UInt8], at path: String) -> RescuedText? {
    let rescued = RescuedText(
      bytes, options: PropertyListFile.defaultOptions(forFileAt: path),
      undoesGNUstepEscapes: database.dialect == .gnustep)
    return rescued.flatMap { $0.keptCount > 0 ? $0 : nil }
  }

  /// Writes what is whole in a damaged file, and keeps the damaged file under another name.
  ///
  /// - Returns: a line for the file, and one for each entry and each stretch that is lost.
  func rescue() throws -> [String] {
    let path = database.path(of: domain)
    var rescued: RescuedText?
    let replacement = try replace(onDamage: .moveAside) { bytes, value in
      guard value == nil, let bytes, let found = self.rescued(from: bytes, at: path) else {
        throw CommandError(.damaged, "\(path): there is nothing to rescue; it was left as it is")
      }
      rescued = found
      return try contents(of: found)
    }
    guard let rescued else { return [] }
    let place = replacement.movedAside.map { "; the damaged file was kept as \($0)" } ?? ""
    var lines = [
      "\(path): rescued \(rescued.keptCount) of \(rescued.parts.count) entries\(place)"
    ]
    for part in rescued.parts {
      let range = "\(path):\(part.start.line):\(part.start.column)-\(part.end.line):\(part.end.column)"
      lines.append(part.key.map { "  kept \(range) \(KeyArgument.text(of: $0))" } ?? "  lost \(range)")
    }
    return lines
  }

  /// Removes the entries whose key stands there again, so that they do not count.
  func removeEqualKeys() throws -> [String] {
    let path = database.path(of: domain)
    let options = PropertyListFile.defaultOptions(forFileAt: path)
    var isDone = false
    _ = try replace { bytes, value in
      isDone = false
      guard let bytes, let value, let text = RescuedText(bytes, options: options),
        text.parts.allSatisfy({ $0.key != nil }), text.keptCount > text.values.count,
        let rest = text.remainder,
        value == .dictionary(text.values)
      else { return .keep }
      isDone = true
      return .bytes(rest)
    }
    return isDone ? ["\(path): of equal keys the one is left that counts"] : []
  }

  /// What is written in place of a damaged file.
  private func contents(of rescued: RescuedText) throws -> ReplacedFile {
    let values = PropertyList.dictionary(rescued.values)
    // Window Maker reads no comments, and GNUstep makes its own files as XML.
    guard database.dialect == .openStep, !database.isWindowMakers(domain) else { return .value(values) }
    let time = PropertyListDate(secondsSinceReferenceDate: Double(DiskFileSystem().now.seconds - 978_307_200))
    let comment = "/* rescued \(time.text): \(rescued.keptCount) of \(rescued.parts.count) entries */\n"
    return .bytes(Array(comment.utf8) + (try rescued.remainder ?? values.bytes(style: .openStep)))
  }

  /// What the administrator sets does not count here: the stored values stay what they are.
  private func replace(
    onDamage: DamagePolicy = .refuse,
    _ make: @escaping ([UInt8]?, PropertyList?) throws -> ReplacedFile
  ) throws -> DomainReplacement {
    let managed = ManagedKeys(
      directory: nil, output: CommandOutput(standardOutput: { _ in }, standardError: { _ in }))
    return try database.replaceFile(of: domain, managed, rehearsing: false, onDamage: onDamage, make)
  }
}
