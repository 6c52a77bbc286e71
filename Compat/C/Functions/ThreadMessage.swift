import DefaultsDatabase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#else
  #error("ThreadMessage: name this platform's C library here.")
#endif

/// The sentence about each thread's last refusal, as C text.
enum ThreadMessage {
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // Each thread frees its own sentence when it ends.
    return pthread_key_create(&key, { free($0) }) == 0 ? key : nil
  }()

  /// The text where a thread has none, or where the system gives no key or no memory: a literal, which ends with a NUL.
  private static let empty: StaticString = ""

  static func set(_ sentence: String) {
    guard let key else { return }
    free(pthread_getspecific(key))
    // Line breaks and other control characters of a key or a path are escaped.
    pthread_setspecific(key, DatabaseError.oneLine(sentence).withCString { strdup($0) })
  }

  /// The calling thread's sentence; valid until it is set again.
  static var text: UnsafePointer<CChar>? {
    guard let key, let text = pthread_getspecific(key) else {
      return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    return UnsafePointer(text.assumingMemoryBound(to: CChar.self))
  }
}
