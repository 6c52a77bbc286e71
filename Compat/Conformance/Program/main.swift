import DefaultsAtlas
import Foundation

exit(Conformance.main())
