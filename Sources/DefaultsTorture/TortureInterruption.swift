package import DefaultsDatabase

/// A signal that asked for the end of a trial.
package struct TortureInterruption: Error {
  package let signal: Signal
}
