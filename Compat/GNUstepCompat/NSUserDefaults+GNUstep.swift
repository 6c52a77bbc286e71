import DefaultsDatabase
public import OpenStepDefaults

extension NSUserDefaults {
  /// Makes an object for the GNUstep database of the current user, with the standard search list.
  ///
  /// The database is the directory that GNUstep's configuration files name, else `GNUstep/Defaults` in the
  /// account's home. Files keep the formats in which GNUstep's programs left them, new ones are XML, as
  /// those write it, and changes are made under GNUstep's lock, so that its programs may run at the same
  /// time. What they change is seen without a call.
  ///
  /// Values are strings all the same, as OPENSTEP has them: a number in a file is shown as its digits, and stays a
  /// number there unless it is set anew.
  ///
  /// - Parameters:
  ///   - directory: Another directory of GNUstep's; nil for the one of the configuration.
  ///   - applicationName: The name of the application's domain; by default the process's.
  ///   - arguments: The command line that makes the argument domain; its first element does not count.
  public convenience init(
    gnustepDirectory directory: String?, applicationName: String? = nil,
    arguments: [String] = CommandLine.arguments
  ) {
    let place =
      directory ?? GNUstepConfiguration()?.userDefaultsDirectory
      // A user whom nobody knows has no home but the root directory, as in a shell.
      ?? "/GNUstep/Defaults"
    let domains = PersistentDomains.at(
      directory: DatabaseLocation.resolve(argument: place), dialect: .gnustep)
    domains.followOutsideChanges()
    self.init(domains: domains, applicationName: applicationName, arguments: arguments)
  }
}
