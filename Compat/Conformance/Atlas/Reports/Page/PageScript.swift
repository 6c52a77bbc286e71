/// The script of a page: it filters the rows, opens what an address names, and copies a row as JSON.
enum PageScript {
  static let text = #"""
    "use strict";
    (() => {
      const data = JSON.parse(document.getElementById("data").textContent);
      const form = document.getElementById("filters");
      const rows = [...document.querySelectorAll("section tr[id]")].map((element) => ({
        element,
        question: data.questions[element.id],
        section: element.closest("section"),
        text: (element.id + " " + element.textContent).toLowerCase(),
      }));
      const folds = [...document.querySelectorAll("section details")];

      const differs = (answer) => Array.isArray(answer) && answer[0] !== "agrees" && answer[0] !== "notRun";

      function isWanted(row, wanted) {
        const [basis] = data.grounds[row.question[0]];
        const answers = row.question[5];
        return (
          row.text.includes(wanted.text) &&
          (!wanted.family || row.section.id === wanted.family) &&
          (!wanted.basis || basis === wanted.basis) &&
          (wanted.run !== "any" || answers.some(differs)) &&
          (wanted.run === "" || wanted.run === "any" || differs(answers[wanted.run]))
        );
      }

      function filter() {
        const fields = form.elements;
        const wanted = {
          text: fields.text.value.trim().toLowerCase(),
          family: fields.family.value,
          basis: fields.basis.value,
          run: fields.run.value,
        };
        const isFiltered = Object.values(wanted).some((value) => value !== "");
        const shown = new Set();
        let count = 0;
        for (const row of rows) {
          const isShown = isWanted(row, wanted);
          row.element.hidden = !isShown;
          if (!isShown) continue;
          count += 1;
          shown.add(row.section).add(row.element.closest("table"));
        }
        for (const part of document.querySelectorAll("section, section table")) part.hidden = !shown.has(part);
        for (const fold of folds) {
          const hasRows = shown.has(fold.querySelector("table"));
          fold.hidden = !hasRows;
          fold.open = isFiltered && hasRows;
        }
        // The counts stand for all questions, and would stand between the form and what was found.
        document.getElementById("summary").hidden = isFiltered;
        form.querySelector("output").textContent = count + " of " + rows.length + " questions";
      }

      // An address may name a row that is folded or filtered away.
      function showTarget() {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (!target) return;
        if (target.closest("[hidden]")) {
          form.reset();
          filter();
        }
        const fold = target.closest("details");
        if (fold) fold.open = true;
        target.scrollIntoView();
      }

      function json(row) {
        const [ground, note, setup, call, expect, answers] = row.question;
        const [basis, source] = data.grounds[ground];
        const experiment = setup === null ? { input_base64: call } : { setup, call };
        const runs = data.runs.map((run, index) => [run.id, answers[index]]);
        const given = runs.filter(([, answer]) => answer !== null).map(([run, answer]) => [
          run,
          answer === 1 ? { verdict: "agrees", outcome: expect } : { verdict: answer[0], outcome: answer[1] },
        ]);
        const title = row.element.children[1].firstChild.textContent.trim();
        const head = { id: row.element.id, title, basis, source, ...(note && { note }) };
        return JSON.stringify({ ...head, ...experiment, expect, answers: Object.fromEntries(given) }, null, 2);
      }

      async function copy(button, row) {
        const text = json(row);
        let message = "copied";
        try {
          await navigator.clipboard.writeText(text);
        } catch {
          // Without the right to use the clipboard, the text is shown, selected.
          message = "see below";
          const area = document.createElement("textarea");
          [area.value, area.readOnly, area.rows, area.style.width] = [text, true, 12, "100%"];
          row.element.children[1].append(area);
          area.select();
        }
        button.textContent = message;
        setTimeout(() => { button.textContent = "JSON"; }, 2000);
      }

      for (const row of rows) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "JSON";
        button.setAttribute("aria-label", "copy as JSON");
        button.addEventListener("click", () => copy(button, row));
        row.element.children[0].append(" ", button);
      }
      form.hidden = false;
      form.addEventListener("input", filter);
      form.addEventListener("submit", (event) => event.preventDefault());
      // “/” goes to the text field, as on many pages.
      document.addEventListener("keydown", (event) => {
        if (event.key !== "/" || event.target.closest("input, select, textarea")) return;
        event.preventDefault();
        form.elements.text.focus();
      });
      window.addEventListener("hashchange", showTarget);
      filter();
      showTarget();
    })();
    """#
}
