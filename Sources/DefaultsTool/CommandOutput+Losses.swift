import DefaultsDatabase
import OpenStepPropertyList

extension CommandOutput {
  /// Tells of what stands for no character in a file, and for which what was made of it has U+FFFD.
  ///
  /// - Parameters:
  ///   - name: What messages call the file.
  ///   - bytes: What was made of the file.
  ///   - value: What the file holds as it is read.
  ///   - options: How it is read; nil if its name tells that.
  func tellOfLostCharacter(
    in file: [UInt8], called name: String, writing value: PropertyList, as bytes: [UInt8],
    options: PropertyList.ParsingOptions? = nil
  ) throws {
    let lost = PropertyList.lostCharacter(
      from: file, to: bytes, writing: value,
      options: options ?? PropertyListFile.defaultOptions(forFileAt: name))
    if let lost { try report(CommandError(.done, lost.text(inFile: name))) }
  }
}

extension PropertyListError {
  /// The error with the file's name before it; a position in a text follows the name directly, in the form that editors
  /// recognise.
  func text(inFile name: String) -> String { "\(name):\(line > 0 ? "" : " ")\(self)" }
}
