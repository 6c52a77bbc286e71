import DefaultsTool
import Foundation

if try !TortureChild.runIfAsked() { exit(DefaultsCommand.runInProcess().rawValue) }
