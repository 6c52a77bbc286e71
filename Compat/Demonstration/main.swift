import Foundation
import OpenStepDefaults
import UserDefaultsCompat

// Else the name would mean Foundation's class as well.
typealias UserDefaults = UserDefaultsCompat.UserDefaults

let folder = CommandLine.arguments[1]
let classic = NSUserDefaults(directory: folder, applicationName: "Demo")
let modern = UserDefaults(directory: folder, applicationName: "Demo")

classic.setObject("Renée", forKey: "Name")
classic.setInteger(3, forKey: "Volume")
modern.set(0.5, forKey: "Balance")
modern.set(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "Opened")
modern.set(["Recent": ["a.txt", "b.txt"], "Count": 2], forKey: "Files")

print("the modern class finds:")
print(modern.string(forKey: "Name") ?? "", modern.integer(forKey: "Volume"))
print("the classic class finds:")
print(classic.floatForKey("Balance"), classic.stringForKey("Opened") ?? "")
print(classic.dictionaryForKey("Files")?["Count"] ?? "")

guard modern.synchronize() else { fatalError("\(String(describing: modern.lastError))") }
print(try String(contentsOfFile: folder + "/Demo.plist", encoding: .utf8), terminator: "")
