#if os(Linux)
  import Glibc

  /// Runs a body while this process can open no file; for a process of its own.
  ///
  /// The limit is below the numbers of all descriptors. To open files until none is left would not do: a thread of the
  /// process may close one.
  package func withoutFreeDescriptors<Result>(_ body: () throws -> Result) rethrows -> Result {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(resource, &none)
    defer { setrlimit(resource, &limit) }
    return try body()
  }
#endif
