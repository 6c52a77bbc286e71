#if canImport(SwiftUI)
  public import SwiftUI

  extension Defaults {
    /// A switch that shows and changes a default.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public struct Toggle<Label: View>: View {
      @Default private var isOn: Bool
      private let label: Label
      private var action: (Bool) -> Void = { _ in }

      /// Makes a switch.
      ///
      /// - Parameters:
      ///   - key: The default.
      ///   - label: The switch's label.
      public init(key: Key<Bool>, @ViewBuilder label: () -> Label) {
        _isOn = Default(key)
        self.label = label()
      }

      public var body: some View {
        SwiftUI.Toggle(isOn: $isOn) { label }
          .onChange(of: isOn) { _, isOn in action(isOn) }
      }

      /// Calls an action with each new value.
      public func onChange(_ action: @escaping (Bool) -> Void) -> Self {
        var toggle = self
        toggle.action = action
        return toggle
      }
    }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  extension Defaults.Toggle<Text> {
    /// Makes a switch with a title.
    public init(_ title: some StringProtocol, key: Defaults.Key<Bool>) {
      self.init(key: key) { Text(title) }
    }
  }
#endif
