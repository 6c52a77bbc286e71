import DefaultsDatabase

// The name is GNUstep's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes another user the current one for GNUstep's database, as in GNUstep.
///
/// ``GNUstepUserDefaults/standardUserDefaults()`` is saved and made anew, in the database of that user with the
/// defaults that were registered; objects for the current user that are made from now on are that user's too.
/// The administrator's process uses only that user's rights to files for them; the process of another user
/// keeps its own rights, as in GNUstep. The process's other rights do not change, nor do Foundation's
/// paths and the database of the classic `NSUserDefaults`.
///
/// A name that no account has gives objects that hold nothing and whose saves fail, with the reason in
/// `lastError`, and never another user's settings instead. For the current user's name it does nothing.
///
/// - Parameter name: An account's name.
/// - Precondition: The name is not empty.
public func GSSetUserName(_ name: String) {
  if name.isEmpty { Misuse.stop("GSSetUserName(_:): the name is empty") }
  if GNUstepDatabase.setUserName(name) { SharedDefaults.remake() }
}
