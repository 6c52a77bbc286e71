import Foundation
import OpenStepDefaults

/// An object that only the thread that made it synchronizes.
///
/// The periodic synchronize of the process, of which a test knows neither the beginning nor the end, does nothing to
/// it: a test can say what holds before a synchronize of its own.
final class OwnThreadDefaults: NSUserDefaults, @unchecked Sendable {
  // Unchecked like its superclass; its own state is constant.
  private let thread = Thread.current

  override init(directory: String, applicationName: String? = nil, arguments: [String] = []) {
    super.init(directory: directory, applicationName: applicationName, arguments: arguments)
  }

  override func synchronize() -> Bool {
    Thread.current === thread ? super.synchronize() : true
  }
}
