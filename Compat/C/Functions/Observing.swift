// The names are those of the header.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import COpenStepDefaults
import DefaultsDomains
import Foundation
import OpenStepDefaults

// The functions of observers. What each does is said at its declaration in OpenStepDefaults.h.

// Unchecked: the pointer belongs to the program, which says that its callback may be called by any thread.
/// A program's callback with its context, which is released when nothing can call it any more.
private final class Callback: @unchecked Sendable {
  private let function: @convention(c) (UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void
  private let context: UnsafeMutableRawPointer?
  private let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  init(
    _ function: @escaping @convention(c) (UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer?,
    _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    (self.function, self.context, self.release) = (function, context, release)
  }

  deinit { release?(context) }

  func call(_ key: String?) {
    guard let key else { return function(nil, context) }
    key.withCString { function($0, context) }
  }
}

/// The handle of an observer.
private final class Observation {
  /// What is observed; it lives as long as the observation, also after its handle was closed.
  private let defaults: NSUserDefaults
  private let end: () -> Void

  init(of defaults: NSUserDefaults, end: @escaping () -> Void) {
    (self.defaults, self.end) = (defaults, end)
  }

  deinit { end() }
}

/// Adds an observer.
///
/// - Parameter begin: Makes the callback when nothing can be refused any more: it releases the context, which
///   is still the caller's after a refusal.
private func observe(
  _ handle: OpaquePointer?, _ callback: osd_callback?, _ context: UnsafeMutableRawPointer?,
  _ release: osd_release?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
  _ begin: (NSUserDefaults, _ callback: () -> Callback) throws(Refusal) -> Observation
) -> osd_status {
  status { () throws(Refusal) in
    let out = try Arguments.place(out, nil)
    let defaults = try Arguments.object(handle)
    guard let callback else { throw .badArgument("the callback is NULL") }
    let observation = try begin(defaults) { Callback(callback, context, release) }
    out.pointee = OpaquePointer(Unmanaged.passRetained(observation).toOpaque())
  }
}

@c @implementation
public func osd_observe(
  _ defaults: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ callback: osd_callback!,
  _ context: UnsafeMutableRawPointer!, _ release: osd_release!,
  _ out_observation: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  observe(defaults, callback, context, release, out_observation) { (defaults, callback) throws(Refusal) in
    let key = try Arguments.key(key)
    let callback = callback()
    let observation = defaults.observe(key) { callback.call(key) }
    return Observation(of: defaults) { observation.invalidate() }
  }
}

@c @implementation
public func osd_observe_all(
  _ defaults: OpaquePointer!, _ callback: osd_callback!, _ context: UnsafeMutableRawPointer!,
  _ release: osd_release!, _ out_observation: UnsafeMutablePointer<OpaquePointer?>!
) -> osd_status {
  observe(defaults, callback, context, release, out_observation) { defaults, callback in
    let callback = callback()
    let token = NotificationCenter.default.addObserver(
      forName: NSUserDefaultsDidChangeNotification, object: defaults, queue: nil
    ) { _ in callback.call(nil) }
    return Observation(of: defaults) {
      NotificationCenter.default.removeObserver(token)
      // Released here, and not by the center under its lock: the program's release function may make changes, which
      // post notifications.
      withExtendedLifetime(callback) {}
    }
  }
}

@c @implementation
public func osd_end_observation(_ observation: OpaquePointer!) {
  guard let observation else { return }
  Unmanaged<Observation>.fromOpaque(UnsafeRawPointer(observation)).release()
}
