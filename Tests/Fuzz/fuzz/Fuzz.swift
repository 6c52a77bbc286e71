import Foundation
import FuzzChecks

/// The target that the environment names.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    fatalError("FUZZ_TARGET is “\(name)”; it names one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// Called by libFuzzer with one input after the other.
private func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The bytes are libFuzzer's for the time of the call, and copied at once.
  target.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

// libFuzzer's C function, which no header of the toolchain declares.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The program's entry: libFuzzer has one of its own, but the package manager names the entry after the target.
@_cdecl("fuzz_main")
public func fuzzMain(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  var count = count
  var arguments = arguments
  return runFuzzer(&count, &arguments, fuzzOneInput)
}
