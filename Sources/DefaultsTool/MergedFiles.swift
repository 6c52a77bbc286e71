import DefaultsDatabase
import OpenStepPropertyList

/// Three files that are property lists, and the merge of their values.
struct MergedFiles {
  /// nil where both sides have added the file: git gives an empty one then.
  let base: TextFile?
  let ours: TextFile
  let theirs: TextFile
  let merge: PropertyListMerge
  private let name: String

  /// - Parameter name: The path, whose last name tells how a text is read.
  /// - Throws: an error that names the side which is no property list.
  init(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], at name: String) throws {
    func file(
      _ bytes: [UInt8], _ side: String, _ octalEscapes: PropertyList.ParsingOptions.OctalEscapes?
    ) throws -> TextFile {
      do {
        return try TextFile(bytes, at: name, octalEscapes: octalEscapes, calledInErrors: side)
      } catch let error as DatabaseError {
        // The usual advice is about a file that stays as it is.
        throw error.with(advice: "")
      }
    }
    func files(_ octalEscapes: PropertyList.ParsingOptions.OctalEscapes?) throws -> [TextFile?] {
      [
        base.isEmpty ? nil : try file(base, "BASE", octalEscapes), try file(ours, "OURS", octalEscapes),
        try file(theirs, "THEIRS", octalEscapes),
      ]
    }
    var read = try files(nil)
    // One side's contents tell that all are Window Maker's.
    if read.contains(where: { $0?.options.octalEscapes == .utf8Bytes }) { read = try files(.utf8Bytes) }
    guard let ours = read[1], let theirs = read[2] else { preconditionFailure("both sides were read") }
    (self.base, self.ours, self.theirs, self.name) = (read[0], ours, theirs, name)
    merge = PropertyListMerge(base: read[0]?.root, ours: ours.root, theirs: theirs.root)
  }

  /// Merged bytes, read as the three files.
  func file(_ merged: [UInt8]) throws -> TextFile {
    try TextFile(merged, at: name, octalEscapes: ours.options.octalEscapes)
  }

  /// Whether bytes hold the merged value, of changes that do not conflict.
  func isMerged(_ bytes: [UInt8]) -> Bool {
    merge.conflicts.isEmpty && (try? file(bytes).root) == merge.result
  }
}
