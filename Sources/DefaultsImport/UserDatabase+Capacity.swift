package import DefaultsDatabase

extension UserDatabase {
  /// Commits values that were made for a file that can hold certain types.
  ///
  /// The request's own check counts as well.
  ///
  /// - Returns: nil if the file, in another format by now, can hold other types; then nothing was changed, and the values
  ///   are to be made again.
  package func commit(
    _ request: CommitRequest, ifStill capacity: FileCapacity
  ) throws(DatabaseError) -> Commit? {
    var (request, isOther) = (request, false)
    let (domain, check) = (request.domain, request.check)
    request.check = { (found) throws(DatabaseError) in
      // What it is when the values are merged, other processes cannot change before the save.
      isOther = try self.capacity(of: domain) != capacity
      guard !isOther else {
        throw DatabaseError(.refused, path: self.path(of: domain), message: "has another format by now")
      }
      try check?(found)
    }
    do throws(DatabaseError) {
      return try commit(request)
    } catch {
      if isOther { return nil }
      throw error
    }
  }
}
