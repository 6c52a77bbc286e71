/// The style sheet of a page: light and dark, wide and narrow.
enum PageStyle {
  /// The windows in which a row is a list.
  static let narrow = "(max-width: 50rem)"

  static let text = """
    :root { color-scheme: light dark; --line: #ccd; --soft: #f4f4f8; --differs: #fff0d8; --fails: #ffe0e0;
      --quiet: #59596a; --link: #0047ab }
    @media (prefers-color-scheme: dark) {
      :root { --line: #445; --soft: #23232c; --differs: #43340f; --fails: #521f22; --quiet: #a9a9ba;
        --link: #8ab8ff }
    }
    * { box-sizing: border-box }
    body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 110rem; font: 0.9375rem/1.45 system-ui, sans-serif }
    p { max-width: 60rem }
    a { color: var(--link) }
    code { font: 0.8125rem ui-monospace, monospace; overflow-wrap: anywhere }
    i { color: var(--quiet) }
    table { border-collapse: collapse; width: 100% }
    caption, summary { text-align: left; padding: 0.4rem 0 }
    caption { font-weight: 600 }
    th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top;
      overflow-wrap: anywhere }
    th { font-weight: 600 }
    thead th { background: var(--soft) }
    .wide { overflow-x: auto }
    .wide th, .wide td { overflow-wrap: normal }
    #summary td { white-space: nowrap }
    section { content-visibility: auto; contain-intrinsic-size: auto 30rem; scroll-margin-top: 5rem }
    h2 { margin: 1.5rem 0 0.25rem }
    section table { table-layout: fixed }
    section th:nth-child(1) { width: 7rem }
    section th:nth-child(2) { width: 32% }
    section th:nth-child(3) { width: 5.5rem }
    section th:nth-child(4) { width: 16% }
    td.d { background: var(--differs) }
    td.x { background: var(--fails) }
    td.a, section td:nth-child(3) { color: var(--quiet) }
    tr { scroll-margin-top: 8rem }
    tr:target { outline: 2px solid var(--link) }
    [hidden] { display: none !important }
    form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem;
      align-items: center; padding: 0.5rem 0; background: Canvas; border-bottom: 1px solid var(--line) }
    input, select, button { font: inherit; max-width: 16rem }
    button { font-size: 0.75rem }
    output { color: var(--quiet) }
    @media \(narrow) {
      body { padding: 0 0.75rem 4rem }
      section table, section tbody, section tr, section td { display: block; width: 100% }
      section thead { display: none }
      section tr { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.5rem 0; padding: 0.25rem 0 }
      section td { border: 0; padding: 0.1rem 0.5rem }
      section td:nth-child(3)::before { content: "basis: " }
      section td:nth-child(4)::before { content: "expected: " }
      section td::before { color: var(--quiet) }
      section td:nth-child(n + 5):empty { display: none }
      form { position: static; flex-direction: column; align-items: stretch }
      label { display: grid; grid-template-columns: 5rem minmax(0, 1fr) }
      input, select { width: 100%; max-width: 100% }
      tr { scroll-margin-top: 1rem }
    }
    """
}
