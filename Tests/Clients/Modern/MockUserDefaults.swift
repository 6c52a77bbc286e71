public import UserDefaultsCompat

// Unchecked like its superclass, whose promise a subclass has to restate.
/// A mock as programs write it for Apple's class.
public final class MockUserDefaults: UserDefaultsCompat.UserDefaults, @unchecked Sendable {
  /// The name of the suite that the object was made with.
  public let suite: String?

  public convenience init() {
    self.init(suiteName: "Mock")!
  }

  public override init?(suiteName: String?) {
    suite = suiteName
    super.init(suiteName: suiteName)
  }

  public override class func resetStandardUserDefaults() {}

  @available(*, deprecated)
  public override func persistentDomainNames() -> [String] {
    ["the client's"]
  }
}
