/// Takes a result, so that no compiler leaves out the work that gave it.
@inline(never) @_optimize(none)
public func blackHole<Value>(_ value: Value) {}
