import OpenStepPropertyList

/// What is said of a text that cannot be changed as it is.
package struct UneditableText {
  package private(set) var message = "cannot be changed without changing more than that"
  package private(set) var advice = DomainFile.unchanged

  /// - Parameter bytes: The whole text, of which some bytes could not be kept.
  package init(_ bytes: [UInt8]) {
    guard let line = PropertyList.damagedLine(inUTF8Text: bytes) else { return }
    message +=
      ": it has UTF-8, and in line \(line) a byte that is none, without which all of it would be read in another way"
    advice += ": write that character in UTF-8 with an editor first"
  }
}
