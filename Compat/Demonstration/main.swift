// Uses classic and modern calls on the same keys, and prints the file.
import Foundation
import OpenStepDefaults
import UserDefaultsCompat

// Otherwise the name would mean Foundation's class as well.
typealias UserDefaults = UserDefaultsCompat.UserDefaults

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
let classic = NSUserDefaults(directory: folder.path, applicationName: "Demo")
let modern = UserDefaults(directory: folder.path, applicationName: "Demo")

classic.setObject("Renée", forKey: "Name")
classic.setInteger(3, forKey: "Volume")
modern.set(0.5, forKey: "Balance")
modern.set(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "Opened")
modern.set(["Recent": ["a.txt", "b.txt"], "Count": 2], forKey: "Files")

print("modern:", modern.string(forKey: "Name") ?? "-", modern.integer(forKey: "Volume"))
print("classic:", classic.floatForKey("Balance"), classic.stringForKey("Opened") ?? "-")
print("classic:", classic.dictionaryForKey("Files")?["Count"] ?? "-")

guard modern.synchronize() else { fatalError("\(String(describing: modern.lastError))") }
print("\nDemo.plist:")
print(try String(contentsOf: folder.appendingPathComponent("Demo.plist"), encoding: .utf8), terminator: "")
try FileManager.default.removeItem(at: folder)
