import DefaultsDatabase

/// The names of the domains that every object searches.
extension UserDefaults {
  /// The name of the domain of the command line's arguments.
  public static let argumentDomain = DomainName.argument.text
  /// The name of the domain that all programs of a user share.
  public static let globalDomain = DomainName.global.text
  /// The name of the domain of registered defaults.
  public static let registrationDomain = DomainName.registration.text
}
