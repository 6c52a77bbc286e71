import DefaultsDatabase
import DefaultsDomains
import OpenStepDefaults

// The names are GNUstep's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain that is searched first.
public let GSPrimaryDomain = "GSPrimaryDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain with the installation's configuration.
public let GSConfigDomain = "GSConfigDomain"

/// GNUstep's database, as this module opens it.
enum GNUstepDatabase {
  /// The persistent domains of a directory, or of the configured one for nil; external changes are followed.
  static func domains(_ directory: String?, _ configuration: GNUstepConfiguration?) -> PersistentDomains {
    let domains: PersistentDomains
    do throws(DatabaseError) {
      // For a user without an account the home is the root directory, as in a shell.
      let place = if let directory { directory } else { try configuration?.userDefaultsDirectory }
      domains = PersistentDomains.inDirectory(named: place ?? "/GNUstep/Defaults", dialect: .gnustep)
    } catch {
      domains = PersistentDomains(database: UserDatabase(refusing: error, dialect: .gnustep))
    }
    domains.followExternalChanges()
    return domains
  }
}
