/// One class under test: what the steps of the vectors mean to it.
///
/// Another class takes part by a type that conforms, named in ``Implementation``.
protocol BehaviourSubject: AnyObject, SendableMetatype {
  /// Begins with the shared standard object.
  init()

  /// The object that receives the steps.
  var receiver: AnyObject { get }

  /// Lets another object receive the steps from here on; false where its initializer gives none.
  func use(_ name: String) throws -> Bool

  /// Carries out a step and gives its outcome, ``JSON/absent`` for one that the class has no method for.
  ///
  /// What the class throws passes through, and counts as a refusal.
  func perform(_ step: Step) throws -> JSON
}
