/// A class under test: it performs the steps of the vectors.
///
/// To test another class, add a conforming type and name it in ``Implementation``.
protocol BehaviourSubject: AnyObject, SendableMetatype {
  /// Begins with the shared standard object.
  init()

  /// The object that performs the steps.
  var receiver: AnyObject { get }

  /// Makes another object perform the steps from now on; false if its initializer gives nil.
  func use(_ name: String) throws -> Bool

  /// Performs a step and gives its outcome, ``JSON/absent`` if the class has no method for it.
  ///
  /// It rethrows what the class throws, which counts as a refusal.
  func perform(_ step: Step) throws -> JSON
}
