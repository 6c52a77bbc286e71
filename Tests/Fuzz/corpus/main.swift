import Foundation

// Makes inputs for the fuzzer to begin with, out of the vectors that the tests play.

let arguments = CommandLine.arguments
guard arguments.count == 3 else { fatalError("usage: corpus VECTORS DIRECTORY") }
let folder = URL(fileURLWithPath: arguments[2])

func write(_ data: Data, _ target: String, _ name: String) throws {
  let directory = folder.appendingPathComponent(target)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  try data.write(to: directory.appendingPathComponent(name))
}

for (index, line) in try String(contentsOfFile: arguments[1], encoding: .utf8).split(separator: "\n")
  .enumerated()
{
  guard let vector = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
    let input = (vector["input_base64"] as? String).flatMap({ Data(base64Encoded: $0) })
  else { continue }
  // The first byte of a text's input says how it is read: as a file, with notes.
  try write(Data([0]) + input, "text", "vector-\(index)")
  // Vectors that are JSON as well show what the two have in common.
  try write(input, "json", "vector-\(index)")
  // Foundation reads less than this package does, and writes it in its own formats.
  guard let value = try? PropertyListSerialization.propertyList(from: input, format: nil) else { continue }
  for (format, target) in [(PropertyListSerialization.PropertyListFormat.xml, "xml"), (.binary, "binary")] {
    try write(
      PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0), target,
      "vector-\(index)")
  }
}
