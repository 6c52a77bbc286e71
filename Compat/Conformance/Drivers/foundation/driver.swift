// Driver of Foundation's UserDefaults for the atlas, in one file without a package:
// it performs the steps that it is sent, and parses texts.
//
// On Linux the runner gives each scene a folder of its own for the files of defaults. On macOS they belong to the
// user's account, which no variable moves: run it there in an account that has nothing to lose.

import Foundation

// MARK: - Values

func hexData(_ s: String) -> Data {
  var out = Data()
  var it = s.makeIterator()
  while let a = it.next(), let b = it.next() {
    out.append(UInt8(String([a, b]), radix: 16) ?? 0)
  }
  return out
}

/// Dates are written "2001-01-01T00:00:00Z", with ".250" and the like before
/// the Z when there is a fraction of a second.
func date(_ s: String) -> Date? {
  let p = s.dropLast().split(whereSeparator: { "-T:".contains($0) }).map { Double($0) ?? 0 }
  guard p.count == 6 else { return nil }
  var t = tm()
  t.tm_year = Int32(p[0]) - 1900
  t.tm_mon = Int32(p[1]) - 1
  t.tm_mday = Int32(p[2])
  t.tm_hour = Int32(p[3])
  t.tm_min = Int32(p[4])
  return Date(timeIntervalSince1970: Double(timegm(&t)) + p[5])
}

func text(_ d: Date) -> String {
  let t = d.timeIntervalSince1970
  var whole = time_t(floor(t))
  var milli = Int(((t - Double(whole)) * 1000).rounded())
  if milli == 1000 {
    milli = 0
    whole += 1
  }
  var parts = tm()
  gmtime_r(&whole, &parts)
  let s = String(
    format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
    parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
  return milli == 0 ? s + "Z" : s + String(format: ".%03dZ", milli)
}

final class NotAPropertyList {}

func real(_ s: String) -> Double { strtod(s, nil) }

/// JSON notation -> Swift value (nil for null)
func decode(_ j: Any?) -> Any? {
  guard let j, !(j is NSNull) else { return nil }
  if let s = j as? String { return s }
  if let a = j as? [Any] { return a.map { decode($0) as Any } }
  if let d = j as? [String: Any], d.count == 1, let (tag, v) = d.first {
    let s = v as? String ?? ""
    switch tag {
    case "i":
      if let n = Int(s) { return n }
      return UInt(s) ?? 0
    case "r": return real(s)
    case "f": return Float(strtof(s, nil))
    case "b": return (v as? Bool) ?? false
    case "x": return hexData(s)
    case "t": return date(s)
    case "u": return URL(string: s)
    case "o": return s == "NSNull" ? NSNull() : NotAPropertyList()
    case "d":
      var out: [String: Any] = [:]
      for (k, x) in v as? [String: Any] ?? [:] { out[k] = decode(x) }
      return out
    default: break
    }
  }
  fatalError("\(j) is no value")
}

func dictionary(_ j: Any?) -> [String: Any] { decode(j) as? [String: Any] ?? [:] }

func text(_ d: Double) -> String {
  if d.isNaN { return "nan" }
  if d.isInfinite { return d < 0 ? "-inf" : "inf" }
  for digits in 15...17 {
    let s = String(format: "%.\(digits)g", d)
    if strtod(s, nil) == d { return s }
  }
  return String(format: "%.17g", d)
}

func text(_ f: Float) -> String {
  if f.isNaN { return "nan" }
  if f.isInfinite { return f < 0 ? "-inf" : "inf" }
  for digits in 6...9 {
    let s = String(format: "%.\(digits)g", Double(f))
    if strtof(s, nil) == f { return s }
  }
  return String(format: "%.9g", Double(f))
}

/// Swift value -> JSON notation, by the value's own dynamic type
func encode(_ v: Any?) -> Any {
  guard let v else { return NSNull() }
  let t: Any.Type = type(of: v)
  if t == String.self { return v as! String }
  if t == Bool.self { return ["b": v as! Bool] }
  if t == Int.self { return ["i": String(v as! Int)] }
  if t == UInt.self { return ["i": String(v as! UInt)] }
  if t == Double.self { return ["r": text(v as! Double)] }
  if t == Float.self { return ["f": text(v as! Float)] }
  if t == Int8.self || t == Int16.self || t == Int32.self || t == Int64.self
    || t == UInt8.self || t == UInt16.self || t == UInt32.self || t == UInt64.self
  {
    return ["i": "\(v)"]
  }
  if t == Data.self { return ["x": (v as! Data).map { String(format: "%02x", $0) }.joined()] }
  if t == Date.self { return ["t": text(v as! Date)] }
  if t == URL.self { return ["u": (v as! URL).absoluteString] }
  if let a = v as? [Any] { return a.map { encode($0) } }
  if let d = v as? [String: Any] { return ["d": d.mapValues { encode($0) }] }
  if let n = v as? NSNumber {
    switch UInt8(bitPattern: n.objCType.pointee) {
    case UInt8(ascii: "d"): return ["r": text(n.doubleValue)]
    case UInt8(ascii: "f"): return ["f": text(n.floatValue)]
    default:
      if n === NSNumber(value: true) || n === NSNumber(value: false) { return ["b": n.boolValue] }
      return ["i": n.stringValue]
    }
  }
  if let s = v as? NSString { return s as String }
  if let d = v as? NSData { return ["x": (d as Data).map { String(format: "%02x", $0) }.joined()] }
  if let d = v as? NSDate { return ["t": text(d as Date)] }
  return ["o": "\(t)"]
}

final class Counter: @unchecked Sendable {
  // Unchecked, because the driver has one thread, which also posts the notifications.
  var changes = 0
  var oldName = 0
  var last: [String: Any]?
  weak var receiver: UserDefaults?
}

// MARK: - Steps

let absent: [String: Any] = ["absent": true]
let ok: [String: Any] = ["ok": true]

var defs = UserDefaults.standard
var counter: Counter?

func cast(_ name: String, _ v: Any?) -> Any {
  switch name {
  case "Bool": return encode(v as? Bool)
  case "Int": return encode(v as? Int)
  case "Int8": return encode(v as? Int8)
  case "Int32": return encode(v as? Int32)
  case "Int64": return encode(v as? Int64)
  case "UInt": return encode(v as? UInt)
  case "UInt8": return encode(v as? UInt8)
  case "Float": return encode(v as? Float)
  case "Double": return encode(v as? Double)
  case "CGFloat": return encode((v as? CGFloat).map { Double($0) })
  case "Decimal": return (v as? Decimal).map { ["decimal": "\($0)"] } ?? NSNull()
  case "NSNumber": return (v as? NSNumber).map { ["number": $0.stringValue] } ?? NSNull()
  case "String": return encode(v as? String)
  case "NSString": return (v as? NSString).map { $0 as String } ?? NSNull()
  case "Data": return encode(v as? Data)
  case "NSData": return (v as? NSData).map { encode($0 as Data) } ?? NSNull()
  case "Date": return encode(v as? Date)
  case "NSDate": return (v as? NSDate).map { encode($0 as Date) } ?? NSNull()
  case "URL": return encode(v as? URL)
  case "[Any]": return encode(v as? [Any])
  case "[String]": return encode(v as? [String])
  case "[Int]": return encode(v as? [Int])
  case "[Double]": return encode(v as? [Double])
  case "[Bool]": return encode(v as? [Bool])
  case "NSArray": return (v as? NSArray) != nil ? ["is": "NSArray"] : NSNull()
  case "[String: Any]": return encode(v as? [String: Any])
  case "[String: Int]": return encode(v as? [String: Int])
  case "[String: Double]": return encode(v as? [String: Double])
  case "[String: String]": return encode(v as? [String: String])
  case "NSDictionary": return (v as? NSDictionary) != nil ? ["is": "NSDictionary"] : NSNull()
  default: return absent
  }
}

func perform(_ step: [Any]) -> Any {
  let op = step[0] as! String
  let a = step.count > 1 ? step[1] : NSNull()
  let b = step.count > 2 ? step[2] : NSNull()
  let k = a as? String ?? ""
  let bs = b as? String ?? ""
  switch op {
  case "use":
    if k == "standard" {
      defs = UserDefaults.standard
    } else if k == "init" {
      defs = UserDefaults()
    } else if k.hasPrefix("suite:") {
      guard let d = UserDefaults(suiteName: String(k.dropFirst(6))) else { return ["noObject": true] }
      defs = d
    } else {
      return absent
    }
    counter?.receiver = defs

  case "set": defs.set(decode(b), forKey: k)
  case "setBool": defs.set((b as? Bool) ?? false, forKey: k)
  case "setInteger": defs.set(Int(bs)!, forKey: k)
  case "setFloat": defs.set(Float(strtof(bs, nil)), forKey: k)
  case "setDouble": defs.set(real(bs), forKey: k)
  case "setURL": defs.set(b is NSNull ? nil : URL(string: bs), forKey: k)
  case "setFileURL":
    defs.set(URL(fileURLWithPath: bs.hasPrefix("~") ? NSHomeDirectory() + bs.dropFirst() : bs), forKey: k)
  case "remove": defs.removeObject(forKey: k)
  case "register": defs.register(defaults: dictionary(a))
  case "setVolatile": defs.setVolatileDomain(dictionary(b), forName: k)
  case "removeVolatile": defs.removeVolatileDomain(forName: k)
  case "setPersistent": defs.setPersistentDomain(dictionary(b), forName: k)
  case "removePersistent": defs.removePersistentDomain(forName: k)
  case "addSuite": defs.addSuite(named: k)
  case "removeSuite": defs.removeSuite(named: k)
  case "sync": return ["b": defs.synchronize()]
  case "reset":
    UserDefaults.resetStandardUserDefaults()
    defs = UserDefaults.standard

  case "observe":
    if counter == nil {
      let c = Counter()
      counter = c
      _ = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: nil, queue: nil
      ) { n in
        c.changes += 1
        var who = "other"
        if n.object == nil {
          who = "nil"
        } else if let o = n.object as? UserDefaults, let r = c.receiver, o === r {
          who = "receiver"
        }
        c.last = [
          "name": n.name.rawValue, "object": who,
          "userInfo": n.userInfo == nil ? NSNull() : ["d": [:] as [String: Any]],
          "thread": Thread.isMainThread ? "main" : "other",
        ]
      }
      _ = NotificationCenter.default.addObserver(
        forName: NSNotification.Name("NSUserDefaultsChanged"), object: nil, queue: nil
      ) { _ in
        c.oldName += 1
      }
    }
    counter!.receiver = defs
    counter!.changes = 0
    counter!.oldName = 0
  case "sleep":
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    Thread.sleep(forTimeInterval: real(k))
  case "object": return encode(defs.object(forKey: k))
  case "cast": return cast(k, defs.object(forKey: bs))
  case "bool": return ["b": defs.bool(forKey: k)]
  case "integer": return ["i": String(defs.integer(forKey: k))]
  case "float": return ["f": text(defs.float(forKey: k))]
  case "double": return ["r": text(defs.double(forKey: k))]
  case "string": return encode(defs.string(forKey: k))
  case "stringArray": return encode(defs.stringArray(forKey: k))
  case "array": return encode(defs.array(forKey: k))
  case "dictionary": return encode(defs.dictionary(forKey: k))
  case "data": return encode(defs.data(forKey: k))
  case "url":
    guard let u = defs.url(forKey: k) else { return NSNull() }
    return ["u": u.absoluteString.replacingOccurrences(of: "file://" + NSHomeDirectory(), with: "file://~")]
  case "representation": return encode(defs.dictionaryRepresentation()[k])
  case "representationKeys": return defs.dictionaryRepresentation().keys.sorted()
  case "persistentDomain": return encode(defs.persistentDomain(forName: k))
  case "volatileDomain": return encode(defs.volatileDomain(forName: k))
  case "volatileKey": return encode(defs.volatileDomain(forName: k)[bs])
  case "volatileDomainNames": return defs.volatileDomainNames.sorted()
  case "isForced": return ["b": defs.objectIsForced(forKey: k)]
  case "notifications": return ["n": counter?.changes ?? 0]
  case "oldNotifications": return ["n": counter?.oldName ?? 0]
  case "lastNotification": return counter?.last.map { ["d": $0] } ?? NSNull()
  default: return absent
  }
  return ok
}

// MARK: - Texts

/// Foundation's value in the notation of texts.
func textNotation(_ value: Any) -> Any {
  if let a = value as? [Any] { return ["a": a.map(textNotation)] }
  if let d = value as? [String: Any] { return ["o": d.mapValues(textNotation)] }
  if let s = value as? String { return ["s": s] }
  guard let tagged = encode(value) as? [String: Any], let (tag, content) = tagged.first else {
    return NSNull()
  }
  let names = ["x": "d", "i": "int", "r": "real", "f": "real", "b": "bool", "t": "date"]
  return [names[tag] ?? tag: content]
}

func parseText(_ base64: String) -> Any {
  guard let data = Data(base64Encoded: base64) else { return ["unsupported": "a text that is not Base64"] }
  do {
    return [
      "value": textNotation(try PropertyListSerialization.propertyList(from: data, options: [], format: nil))
    ]
  } catch {
    // The description of the error lists its parts in another order each time.
    return ["error": error.localizedDescription]
  }
}

// MARK: - Messages

func answer(_ reply: [String: Any]) {
  guard let data = try? JSONSerialization.data(withJSONObject: reply, options: [.sortedKeys]) else {
    fatalError("an outcome that is not JSON: \(reply)")
  }
  FileHandle.standardOutput.write(data + Data("\n".utf8))
}

while let line = readLine() {
  guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
    let message = object as? [String: Any], let what = message["do"] as? String
  else {
    // Foundation reads no JSON that is nested more than 512 deep, and the number stands in front of the step.
    let digits = line.components(separatedBy: "\"n\": ").dropFirst().first?.prefix { $0.isNumber } ?? "0"
    answer(["n": Int(digits) ?? 0, "outcome": ["unsupported": "a message that Foundation does not read"]])
    continue
  }
  let number = message["n"] ?? NSNull()
  switch what {
  case "hello": answer(["protocol": 1, "name": "Foundation"])
  case "step": answer(["n": number, "outcome": perform(message["step"] as? [Any] ?? [""])])
  case "parse": answer(["n": number, "outcome": parseText(message["base64"] as? String ?? "")])
  default: exit(0)
  }
}
