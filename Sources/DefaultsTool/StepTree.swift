/// Paths as a tree (a trie): a step leads from one node to another, so that paths with a common beginning share its nodes.
///
/// Linear in memory in the number of different steps.
struct StepTree<Step: Hashable> {
  /// A node of the tree, by number; the root, from which all paths begin, is 0.
  typealias Node = Int

  private struct Edge: Hashable {
    let node: Node
    let step: Step
  }

  private var nodes: [Edge: Node] = [:]

  static var root: Node { 0 }

  /// How many nodes there are, whose numbers are smaller.
  var count: Int { nodes.count + 1 }

  /// Where a step leads from a node; nil if no path goes there.
  func node(behind step: Step, of node: Node) -> Node? { nodes[Edge(node: node, step: step)] }

  /// Where a step leads from a node; a new node if no path goes there yet.
  mutating func add(_ step: Step, to node: Node) -> Node {
    let new = count
    let edge = Edge(node: node, step: step)
    if let known = nodes[edge] { return known }
    nodes[edge] = new
    return new
  }
}
