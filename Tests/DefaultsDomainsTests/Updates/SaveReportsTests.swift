import DefaultsDatabase
import TestSupport
import Testing

@testable import DefaultsDomains

/// Who is told of saves.
struct SaveReportsTests {
  private let domains = PersistentDomains(database: nil)
  private let save = DomainSave(domain: "Saved", directory: "/nowhere", byteCount: 1)

  @Test("each reader of a domain is told of its saves, until it ends, and of no other domain's")
  func readers() async throws {
    let (saved, other) = (domains.domain(try DomainName("Saved")), domains.domain(try DomainName("Other")))
    let reports = SaveReports()
    let unread = reports.stream(of: other)
    let ended = Task { [stream = reports.stream(of: saved)] in
      for await _ in stream { return true }
      return false
    }
    ended.cancel()
    _ = await ended.value
    var readers = [reports.stream(of: saved), reports.stream(of: saved)].map { $0.makeAsyncIterator() }
    for number in 1...2 {
      let save = DomainSave(domain: "Saved", directory: "/nowhere", byteCount: number)
      reports.tellReaders(of: save, of: saved)
      for index in readers.indices { #expect(await readers[index].next() == save) }
    }
    let otherSave = DomainSave(domain: "Other", directory: "/nowhere", byteCount: 3)
    reports.tellReaders(of: otherSave, of: other)
    var first = unread.makeAsyncIterator()
    #expect(await first.next() == otherSave)
  }

  @Test("a save takes no longer where many read the saves of another domain")
  func otherReaders() throws {
    let (saved, other) = (domains.domain(try DomainName("Saved")), domains.domain(try DomainName("Other")))
    let growth = growth(from: 1000, to: 10_000, bound: 4) { count in
      let reports = SaveReports()
      let unread = (0..<count).map { _ in reports.stream(of: other) }
      let own = reports.stream(of: saved)
      let start = threadTime()
      for _ in 0..<1000 { reports.tellReaders(of: save, of: saved) }
      let time = threadTime() - start
      withExtendedLifetime((unread, own)) {}
      return time
    }
    // It would be 10 if each save looked at all readers.
    #expect(growth < 4)
  }
}
