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

  /// - Parameters:
  ///   - name: The path, whose last name tells how a text is read.
  ///   - reading: What else tells how a text is read.
  /// - Throws: an error that names the side which is no property list.
  init(
    _ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8], at name: String, _ reading: TextFile.Reading
  ) throws {
    func file(_ bytes: [UInt8], _ side: String, _ reading: TextFile.Reading) throws -> TextFile {
      do {
        return try TextFile(bytes, at: name, reading, calledInErrors: side)
      } catch let error as DatabaseError {
        // The usual advice is about a file that stays as it is.
        throw error.with(advice: "")
      }
    }
    func files(_ reading: TextFile.Reading) throws -> [TextFile?] {
      [
        base.isEmpty ? nil : try file(base, "BASE", reading), try file(ours, "OURS", reading),
        try file(theirs, "THEIRS", reading),
      ]
    }
    var read = try files(reading)
    if reading == .contents {
      let common = TextFile.Reading(of: read)
      if common != .contents { read = try files(common) }
    }
    guard let ours = read[1], let theirs = read[2] else { preconditionFailure("both sides were read") }
    (self.base, self.ours, self.theirs, self.name) = (read[0], ours, theirs, name)
    merge = PropertyListMerge(base: read[0]?.root, ours: ours.root, theirs: theirs.root)
  }

  /// Merged bytes, read as the three files.
  func file(_ merged: [UInt8]) throws -> TextFile {
    try TextFile(merged, at: name, ours.reading)
  }

  /// Whether bytes that lines have made, without a conflict, hold the merged value.
  ///
  /// Where both sides have changed one array, lines can tell which elements belong together.
  func isMerged(_ bytes: [UInt8]) -> Bool {
    guard let merged = try? file(bytes), ours.isRead(bytes, as: merged.root), let result = merge.result else {
      return false
    }
    if merge.conflicts.isEmpty { return merged.root == result }
    func isArray(_ value: PropertyList?) -> Bool { if case .array? = value { true } else { false } }
    // Both sides can have added one key, at two places.
    guard merge.conflicts.allSatisfy({ isArray($0.ours) && isArray($0.theirs) }), !merged.hasEqualKeys else {
      return false
    }
    typealias Tree = StepTree<PropertyListPathStep>
    var tree = Tree()
    let arrays = Set(merge.conflicts.map { $0.path.reduce(Tree.root) { tree.add($1, to: $0) } })
    // With the nodes where there are conflicts: the paths to many deep values would fill the memory.
    var pending: [(node: Tree.Node?, merged: PropertyList, expected: PropertyList)] = [
      (Tree.root, merged.root, result)
    ]
    while let next = pending.popLast() {
      if let node = next.node, arrays.contains(node) {
        guard isArray(next.merged) else { return false }
      } else if case .dictionary(let merged) = next.merged, case .dictionary(let expected) = next.expected {
        guard merged.count == expected.count else { return false }
        for (key, value) in merged {
          guard let other = expected[key] else { return false }
          let node = next.node.flatMap { tree.node(behind: .key(key), of: $0) }
          pending.append((node, value, other))
        }
      } else if next.merged != next.expected {
        return false
      }
    }
    return true
  }
}
