import Atlas
import Foundation

exit(Conformance.main())
