// Your data: a file, its profile, a fit that can be stopped, and what it is worth.
import { answers } from "../answers.js";
import { ask, post } from "../ask.js";
import { button, checkbox, choice, slider } from "../controls.js";
import { copy, facts, h, percent, say, short, table } from "../dom.js";
import { keep, state } from "../state.js";

const DEFAULTS = { file: "", name: "", target: "", run: "" };

export function show(place, start) {
  const now = state({ ...DEFAULTS, file: start.file || "" });
  const wish = { certify: "auto", delta: 0.05, kernel: "auto", time_limit: 60, group: "", order: "" };
  let ignored = new Set(), columns = [], timer = 0;
  const drop = h("div", { class: "drop" }), profile = h("div", {}), plan = h("div", {}), live = h("div", { "aria-live": "polite" }), result = h("div", {}), runs = h("div", {});

  // -- a file ----------------------------------------------------------------------------------------
  async function upload(file) {
    if (file.size > start.limit) { say(`Files up to ${short(start.limit / 1048576)} MB can be dropped; start the lab in the folder of the file instead.`, true); return; }
    say(`Reading ${file.name}…`);
    const answer = await fetch("upload", { method: "POST", headers: { "x-file-name": encodeURIComponent(file.name) }, body: file, credentials: "same-origin" });
    const told = await answer.json().catch(() => ({ error: `refused (${answer.status})` }));
    if (!answer.ok) { say([told.error, told.advice].filter(Boolean).join(" "), true); return; }
    open(told.name, file.name);
  }
  function open(file, name) {
    Object.assign(now, { file, name: name || "", target: "", run: "" });
    ignored = new Set();
    result.replaceChildren();
    look();
  }
  const input = h("input", { type: "file", "aria-label": "Choose a file", onchange: () => input.files[0] && upload(input.files[0]) });
  drop.append("Drop a file here (CSV, Parquet, FASTA, matrix …), or ", input);
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); if (event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]); });
  ask("data", "files", {}, (found) => {
    if (found.files.length) drop.append(h("p", {}, "or from the folder of the lab: "), choice({ label: "file", options: [["", "–"], ...found.files.map((f) => [f, f])], value: now.file, on: (f) => f && open(f, "") }));
  });

  // -- its profile -----------------------------------------------------------------------------------
  function look() {
    keep("data", now, DEFAULTS);
    ask("data", "profile", { file: now.file, name: now.name, target: now.target }, (found) => {
      const d = found.document;
      say("");
      columns = (d.columns || []).map((c) => c.name);
      const notes = (d.checks || []).map((f) => h("p", { class: `note ${f.level === "warning" ? "warning" : ""}` }, h("b", {}, `${f.level}: `), f.message));
      const rows = (d.columns || []).map((c) => [checkbox({ label: c.name, value: !ignored.has(c.name), on: (v) => { if (v) ignored.delete(c.name); else ignored.add(c.name); planned(); } }),
        c.kind, c.missing, c.distinct, "min" in c ? `${short(c.min)} to ${short(c.max)}` : (c.examples || []).join(", ")]);
      profile.replaceChildren(h("h3", {}, `${d.name || "file"}: ${short(d.rows)} rows`), ...notes,
        columns.length ? table(["use", "kind", "missing", "distinct", "values"], rows) : h("pre", {}, found.lines.join("\n")));
      planned();
    });
  }
  function planned() {
    const names = [["", "–"], ...columns.map((c) => [c, c])];
    plan.replaceChildren(h("div", { class: "panel" }, h("h3", {}, "Fit"),
      columns.length && choice({ label: "predict", options: names, value: now.target, on: (v) => { now.target = v; look(); } }),
      columns.length && choice({ label: "rows with the same value belong together", options: names, value: wish.group, on: (v) => { wish.group = v; } }),
      columns.length && choice({ label: "order in time", options: names, value: wish.order, on: (v) => { wish.order = v; } }),
      choice({ label: "certificate from", options: ["auto", "holdout", "compress", "progressive", "in-sample", "none"], value: wish.certify, on: (v) => { wish.certify = v; } }),
      choice({ label: "kernel", options: ["auto", "gaussian", "linear", "laplacian", "matern"], value: wish.kernel, on: (v) => { wish.kernel = v; } }),
      slider({ label: "δ, certificate may be wrong", min: 1e-4, max: 0.5, log: true, value: wish.delta, on: (v) => { wish.delta = v; } }),
      slider({ label: "seconds", min: 5, max: 3600, log: true, whole: true, value: wish.time_limit, on: (v) => { wish.time_limit = v; } }),
      h("div", { class: "row" }, button("Fit and certify", fit, { class: "main", id: "fit", disabled: columns.length > 0 && !now.target }))));
  }

  // -- a fit -----------------------------------------------------------------------------------------
  async function fit() {
    try {
      const found = await post("data", "fit", { file: now.file, name: now.name, target: now.target, ignore: [...ignored], ...wish });
      now.run = found.run;
      keep("data", now, DEFAULTS);
      follow(found);
    } catch (problem) { say(problem.message, true); }
  }
  function follow(begun) {
    const bar = h("progress", { max: 1, value: 0 }), words = h("p", {}, "waiting");
    live.replaceChildren(h("div", { class: "panel" }, h("h3", {}, `Run ${begun.run}`), bar, words,
      h("div", { class: "row" }, button("Stop with the best so far", () => ask("data", "stop", { run: begun.run }, () => say("Stopping with the best so far."))), button("Abort", () => ask("data", "stop", { run: begun.run, now: true }, () => say("Aborted.")))),
      begun.command && lines(begun)));
    clearInterval(timer);
    timer = setInterval(() => ask("data", "state", { run: begun.run }, (found) => {
      bar.value = found.share;
      words.textContent = `${found.status}${found.words ? `: ${found.words}` : ""}`;
      if (["done", "stopped", "failed"].includes(found.status)) {
        clearInterval(timer);
        if (found.status === "failed") say(found.error || "The fit failed.", true);
        if (found.status === "done") results(begun.run);
        compare();
      }
    }), 500);
  }
  const lines = (begun) => h("div", {}, h("p", {}, "The same on the command line, and in Python:"), h("pre", { id: "command" }, begun.command), h("pre", {}, begun.python), button("Copy both", () => copy(`${begun.command}\n\n${begun.python}`)));

  // -- what it is worth ------------------------------------------------------------------------------
  function results(run) {
    ask("data", "result", { run }, (found) => {
      const c = found.certificate, files = ["report.html", "certificate.json", "model.mercer", "run.toml"];
      result.replaceChildren(h("section", { id: "result" }, h("h3", {}, `Result of ${run}`),
        c ? h("div", { class: `note ${c.found && c.found.length ? "warning" : "good"}` }, (c.found || []).map((w) => h("p", {}, h("b", {}, w))), h("p", { class: "big" }, `≤ ${percent(c.value)}`), h("p", {}, found.statement),
          facts([["confidence", percent(1 - c.delta)], ["rows counted", short(c.n)], ["how", c.title], ...(c.ledger || []).map((e) => [`δ for ${e.what}`, short(e.delta)])])) : h("p", { class: "note" }, "No certificate was asked for."),
        h("p", {}, found.model && found.model.words), h("p", { class: "faint" }, [found.split && found.split.words, found.search && found.search.words, found.needed && found.needed.words].filter(Boolean).join(". ")),
        h("div", { class: "row" }, files.map((f) => h("a", { href: `runs/${encodeURIComponent(run)}/${f}`, target: f === "report.html" ? "_blank" : null, rel: "noopener" }, f === "report.html" ? "Open the report" : f))),
        found.checks.length > 0 && h("details", {}, h("summary", {}, `Findings (${found.checks.length})`), found.checks.map((f) => h("p", { class: `note ${f.level}` }, f.message))),
        h("details", { open: true }, h("summary", {}, "Beside simpler models"), table(["model", "error", "on rows"], found.baselines.map((b) => [b.name, b.error == null ? b.words : percent(b.error), b.rows]))),
        found.task === "classification" && h("details", {}, h("summary", {}, `Rows it was wrong about (${found.wrong})`), table(["row of the file", "is", "was predicted"], found.errors)),
        answers(found.answers, found.task),
        h("details", {}, h("summary", {}, "Do it again"), h("pre", {}, found.reproduction && found.reproduction.command))));
    });
  }
  function compare() {
    ask("data", "runs", {}, (found) => {
      const same = new Set(found.runs.map((r) => r.sha256)).size < found.runs.length;
      runs.replaceChildren(...(found.runs.length ? [h("h3", {}, "Runs in this folder"), same && h("p", { class: "note warning" }, "Several runs used the same file: each certificate holds by itself; whoever picks the smallest has looked more than once."),
        table(["run", "target", "model", "certified error at most", "δ", "rows counted", "seconds"], found.runs.map((r) => [h("button", { onclick: () => { now.run = r.run; keep("data", now, DEFAULTS); results(r.run); } }, r.run), r.target, r.model, r.certified == null ? "none" : percent(r.certified), r.delta, r.counted, r.seconds]))].filter(Boolean) : []));
    });
  }
  place.append(h("div", { class: "split" }, h("div", {}, drop, profile, result, runs), h("div", {}, plan, live)));
  if (now.file) look();
  if (now.run) results(now.run);
  compare();
  return () => clearInterval(timer);
}
