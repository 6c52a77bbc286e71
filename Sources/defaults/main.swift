import DefaultsTool
import Foundation

exit(DefaultsCommand.runInProcess().rawValue)
