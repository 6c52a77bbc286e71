/// A weak reference to an object, to be stored in collections.
///
/// It is a class, because collections of objects of all classes have one type at run time (Architecture,
/// “Start-up”).
package final class WeakReference {
  package private(set) weak var object: AnyObject?

  package init(_ object: AnyObject) {
    self.object = object
  }
}
