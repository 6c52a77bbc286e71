#if !canImport(Darwin)
  import DefaultsDatabase
  import DefaultsDomains
  import DefaultsFoundation
  import OpenStepPropertyList

  extension UserDefaultsAdditions {
    /// Sets the value at a path of keys, joined by dots: the first key is a default's name, the others lead into the
    /// dictionaries of its value.
    ///
    /// The default gets a copy of its value with the change; the other entries of the dictionaries stay. nil removes the
    /// last key. A dictionary that is missing on the way is made, unless the value is nil, so that the value is not
    /// lost: key-value coding would ignore the call. In an array each element is changed, as by key-value coding.
    ///
    /// A path that leads into a string, a number or another object without keys changes nothing, and neither does one
    /// with `self` or an operator, which are for reading: ``lastError`` and ``errors`` give the reason. On Apple's
    /// systems such a path raises an exception, which other programs' data could cause in this one.
    ///
    /// It reads the default, then sets it: what another thread sets in between is lost. To change a value by its present
    /// one, use ``modify(forKey:_:)``. A default whose own name contains a dot is set by
    /// ``UserDefaults/setValue(_:forKey:)``, which takes names literally.
    ///
    /// - Precondition: The value is a property list; for a path of one key it may be a URL.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
      let (key, rest) = KeyPathValues.parts(of: keyPath[...])
      guard let rest else { return setValue(value, forKey: key) }
      let update = ObjectUpdate(of: isExact ? stored(key) : nil, FoundationValues.object)
      let old = isExact ? update.object : self.value(forKey: key)
      let change = LargeStack.runWithStackToRelease(room: LargeStack.recursionRoom) {
        rest.utf8.count { $0 == UInt8(ascii: ".") } < ObjectConversion.maximumDepth
          ? KeyPathValues.change(of: old, forKeyPath: rest, to: value)
          : .refused("has more than \(ObjectConversion.maximumDepth) keys behind the first")
      }
      switch change {
      case .replaced(let object): replace(key, by: object, in: update, forKeyPath: keyPath, value)
      case .unchanged: break
      case .refused(let reason): refuse(keyPath, reason)
      }
    }
  }

  extension UserDefaults {
    /// Stores the object of a default in which a path has a new value.
    fileprivate final func replace(
      _ key: String, by object: Any, in update: ObjectUpdate, forKeyPath keyPath: String, _ value: Any?
    ) {
      do throws(InvalidArgumentError) {
        let stored = try update.value { (maximumDepth) throws(InvalidArgumentError) in
          try UserDefaults.propertyList(object, forKey: key, maximumDepth: maximumDepth)
        }
        if isExact { put(stored, for: key) } else { setValue(object, forKey: key) }
      } catch {
        // A subclass's setter may take other objects, but this class's takes no deeper ones.
        guard isExact || error.exceededDepth != nil else { return setValue(object, forKey: key) }
        // How deep the path leads, and what stands beside it, other programs' data say.
        guard value.map({ (try? FoundationValues.propertyList($0, path: "")) != nil }) ?? true else {
          Misuse.stop("UserDefaults.setValue(_:forKeyPath:): \(error)")
        }
        refuse(keyPath, "makes a value that cannot be stored: \(error)")
      }
    }

    fileprivate final func refuse(_ keyPath: String, _ reason: String) {
      store.report(
        DatabaseError(.refused, path: "“\(keyPath)”", message: reason, advice: "nothing was changed"))
    }
  }
#endif
