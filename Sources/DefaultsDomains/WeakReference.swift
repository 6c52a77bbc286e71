/// An object that may be gone by the time somebody asks for it.
///
/// A class, as lists of objects of any class are of one type at run time; for another the runtime would
/// have to make one when the process begins, which takes a hundredth of the time to the first lookup.
package final class WeakReference {
  package private(set) weak var object: AnyObject?

  package init(_ object: AnyObject) {
    self.object = object
  }
}
