import DefaultsDomains
import OpenStepDefaults
import OpenStepPropertyList

/// Arguments make a domain whose keys are among them, and whose text values are as they stand.
enum ArgumentsCheck {
  static func check(_ bytes: [UInt8]) {
    let arguments = bytes.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    let keys = Set(arguments.map { PropertyListKey($0) })
    for takesLoneHyphen in [true, false] {
      let values = ArgumentDomain.values(of: ["Probe"] + arguments, takesLoneHyphen: takesLoneHyphen)
      for (key, value) in values {
        precondition(keys.contains(PropertyListKey("-" + key.text)), "a key that no argument names")
        TextCheck.checkWriting(value)
      }
    }
  }
}
