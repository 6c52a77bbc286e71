/// The form with which the page's script filters the rows; without the script it is hidden.
enum PageForm {
  static func text(_ families: [String], _ runs: [Page.Run]) -> String {
    func options(_ names: [String], _ values: [String]) -> String {
      zip(names, values).map { "<option value=\"\(HTML.escaped($1))\">\(HTML.escaped($0))" }.joined()
    }
    let bases = Question.Basis.allCases.map(\.rawValue)
    return """
      <form id="filters" hidden>
      <label>Text <input type="search" name="text" placeholder="id, title or answer"></label>
      <label>Family <select name="family"><option value="">all\(options(families, families))</select></label>
      <label>Basis <select name="basis"><option value="">all\(options(bases, bases))</select></label>
      <label>Show <select name="run"><option value="">all questions\
      <option value="any">where any run differs\(options(
        runs.map { "where \($0.id) differs" }, runs.indices.map(String.init)))</select></label>
      <output aria-live="polite"></output>
      </form>
      """
  }
}
