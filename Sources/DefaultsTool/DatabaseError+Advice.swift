import DefaultsDatabase

extension DatabaseError {
  /// The same error; of a domain's damaged file, of which a command would change a part, with what helps.
  var advisingRepair: DatabaseError {
    guard kind == .damaged, !isMergeConflict else { return self }
    return with(
      advice: "its bytes are unchanged: “defaults doctor -repair” keeps what is whole in it, if anything is, "
        + "“defaults edit” opens text and XML as they are, and “defaults delete” puts the file aside")
  }
}
