import DefaultsDatabase
import DefaultsDomains
import OpenStepDefaults

// The names are GNUstep's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain that comes before all others.
public let GSPrimaryDomain = "GSPrimaryDomain"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of GNUstep's volatile domain of the installation's configuration.
public let GSConfigDomain = "GSConfigDomain"

/// GNUstep's database, as this package's programs open it.
enum GNUstepDatabase {
  /// The persistent domains of a directory, nil for the one of the configuration, followed as others change them.
  static func domains(_ directory: String?, _ configuration: GNUstepConfiguration?) -> PersistentDomains {
    let domains: PersistentDomains
    do throws(DatabaseError) {
      // A user whom nobody knows has no home but the root directory, as in a shell.
      let place = if let directory { directory } else { try configuration?.userDefaultsDirectory }
      domains = PersistentDomains.inDirectory(named: place ?? "/GNUstep/Defaults", dialect: .gnustep)
    } catch {
      domains = PersistentDomains(database: UserDatabase(refusing: error, dialect: .gnustep))
    }
    domains.followOutsideChanges()
    return domains
  }
}
