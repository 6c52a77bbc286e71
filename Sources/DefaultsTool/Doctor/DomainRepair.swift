import DefaultsDatabase
import OpenStepPropertyList

/// Mends a domain's file.
struct DomainRepair {
  let domain: DomainName
  let database: UserDatabase

  /// What is whole in a damaged file's bytes; nil if nothing is.
  func rescued(from bytes: [UInt8]) -> RescuedText? {
    let rescued = RescuedText(
      bytes, options: PropertyListFile.defaultOptions(forFileAt: database.path(of: domain)),
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
      guard value == nil, let bytes, let found = self.rescued(from: bytes) else {
        throw CommandError(.damaged, "\(path): there is nothing to rescue; it was left as it is")
      }
      rescued = found
      return try contents(of: found)
    }
    guard let rescued else { return [] }
    let place = replacement.movedAside.map { "; the damaged file was kept as \($0)" } ?? ""
    return ["\(path): \(rescued.summary)\(place)\(change(of: rescued.source))"] + lines(of: rescued, at: path)
  }

  /// What becomes of the encoding or the format, as a clause behind others; empty for nothing.
  private func change(of source: RescuedText.Source) -> String {
    // GNUstep makes its own files as XML, whatever they were.
    guard database.dialect == .openStep else { return "" }
    return switch source {
    case .utf8: ""
    case .otherText: "; the text was not UTF-8, and is now"
    case .xml: "; it was XML and is text now"
    }
  }

  /// A line for each part of a damaged text.
  private func lines(of rescued: RescuedText, at path: String) -> [String] {
    // Of equal keys the last one is kept.
    var lastPlaces: [PropertyListKey: Int] = [:]
    for (index, part) in rescued.parts.enumerated() { if let key = part.key { lastPlaces[key] = index } }
    return rescued.parts.enumerated().map { index, part in
      let range = "\(path):\(part.range)"
      guard let key = part.key else { return "  lost \(range)" }
      let name = KeyArgument.text(of: key)
      return lastPlaces[key] == index
        ? "  kept \(range) \(name)" : "  left out \(range) \(name), which stands there again"
    }
  }

  /// Removes the entries whose key stands there again, so that they do not count.
  ///
  /// - Returns: a line for the file; none if there are no such entries any more.
  func removeEqualKeys() throws -> [String] {
    let path = database.path(of: domain)
    let options = PropertyListFile.defaultOptions(forFileAt: path)
    var count = 0
    _ = try replace { bytes, _ in
      count = 0
      guard let bytes, DomainFileFormat(recognising: bytes) == .openStep else { return .keep }
      do throws(PropertyListError) {
        var editor = try PropertyListTextEditor(bytes, options: options)
        count = try editor.removeEqualKeys()
        return count > 0 ? .bytes(editor.bytes) : .keep
      } catch {
        throw CommandError(.refused, "\(path): the equal keys stay, since \(error.message)")
      }
    }
    guard count > 0 else { return [] }
    let entries = count == 1 ? "an entry whose key stands" : "\(count) entries whose keys stand"
    return ["\(path): \(entries) there again \(count == 1 ? "is" : "are") removed"]
  }

  /// What is written in place of a damaged file.
  private func contents(of rescued: RescuedText) throws -> ReplacedFile {
    let values = PropertyList.dictionary(rescued.values)
    // Window Maker reads no comments, and GNUstep makes its own files as XML.
    guard database.dialect == .openStep, !database.isWindowMakers(domain) else { return .value(values) }
    let time = database.fileSystem.now.date.text
    let comment = "/* rescued \(time): \(rescued.summary) */\n"
    let text = try rescued.remainder ?? values.bytes(style: .openStep, within: FileSize.maximum)
    return .bytes(Array(comment.utf8) + text)
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

extension RescuedText {
  /// How many stretches, or places, are named.
  private static let maximumNamedCount = 3

  /// “2 entries are kept, 1 stretch is lost (4:3-4:9)”, and what has become of half characters.
  var summary: String {
    guard !replacedHalves.isEmpty else { return summaryOfParts }
    let halves =
      replacedHalves.count == 1 ? "half of a character is" : "\(replacedHalves.count) half characters are"
    let places = RescuedText.list(replacedHalves.map { "\($0.line):\($0.column)" })
    return "\(summaryOfParts), \(halves) U+FFFD (\(places))"
  }

  private var summaryOfParts: String {
    let entries = values.count == 1 ? "1 entry is kept" : "\(values.count) entries are kept"
    let lost = parts.filter { $0.key == nil }
    guard !lost.isEmpty else { return "\(entries), nothing is lost" }
    let stretches = lost.count == 1 ? "1 stretch is lost" : "\(lost.count) stretches are lost"
    return "\(entries), \(stretches) (\(RescuedText.list(lost.map(\.range))))"
  }

  private static func list(_ places: [String]) -> String {
    places.prefix(maximumNamedCount).joined(separator: ", ") + (places.count > maximumNamedCount ? ", …" : "")
  }
}

extension RescuedText.Part {
  /// Where it is: `4:3-4:9`.
  fileprivate var range: String { "\(start.line):\(start.column)-\(end.line):\(end.column)" }
}
