import DefaultsDatabase
import Foundation
import OpenStepPropertyList
import TestSupport
import Testing

@testable import DefaultsDomains

/// A domain that another thread observes before the call that opens it has returned.
struct OpenedMeanwhileTests {
  private let home: TemporaryHome
  private let outside: TemporaryHome

  init() throws {
    (home, outside) = (try TemporaryHome(), try TemporaryHome())
  }

  private final class Listener: DomainListener {
    let told: AsyncStream<Void>.Continuation

    init(_ told: AsyncStream<Void>.Continuation) { self.told = told }

    func domain(_ domain: PersistentDomain, didChange keys: ChangedKeys) -> (() -> Void)? {
      keys.contains("K") ? { self.told.yield() } : nil
    }

    func tellRecorded(of keys: ChangedKeys) {}
  }

  // The call that opened the domain read the change, and told nobody.
  @Test(
    "it is told of a change that this call reads after its first look at the file", .timeLimit(.minutes(30)))
  func observed() async throws {
    let (calls, told) = AsyncStream.makeStream(of: Void.self)
    let listener = Listener(told)
    let name = try DomainName("App")
    try home.write("{ K = 1; }", to: "App.plist")
    // Through another name of the file the change is one of which the system tells no watcher.
    let second = outside.path("second")
    try FileManager.default.linkItem(atPath: home.path("App.plist"), toPath: second)
    let opened = Lock<(domains: PersistentDomains?, isChanged: Bool)>((nil, false))
    let disk = FaultyFileSystem { operation in
      guard operation.path?.hasSuffix("App.plist") ?? false, let domains = opened.withLock({ $0.domains }),
        let domain = domains.domainInMemory(name), !opened.withLock({ $0.isChanged })
      else { return nil }
      opened.withLock { $0.isChanged = true }
      domain.add(listener, for: "K")
      try? Data("{ K = 2; }".utf8).write(to: URL(fileURLWithPath: second))
      return nil
    }
    let domains = PersistentDomains(database: UserDatabase(directory: home.path, fileSystem: disk))
    domains.followExternalChanges()
    opened.withLock { $0.domains = domains }
    let domain = domains.domain(name)
    #expect(opened.withLock { $0.isChanged } && domain.value(for: "K") == "2")
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    opened.withLock { $0.domains = nil }
    domains.leaveDisk()
  }
}
