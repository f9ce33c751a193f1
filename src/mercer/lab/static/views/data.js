// Your data: a file, its profile, a fit that can be stopped, and what it is worth.
import { guarantees, moreRows, parts } from "../answers.js";
import { ask, post } from "../ask.js";
import { button, checkbox, choice, slider } from "../controls.js";
import { copy, facts, h, percent, say, short, table } from "../dom.js";
import { keep, state } from "../state.js";

const WISH = { certify: "auto", delta: 0.05, kernel: "auto", metric: "", time_limit: 60, group: "", order: "" };
const DEFAULTS = { file: "", name: "", target: "", run: "", ignore: "", precomputed: "", labels: "", labels_name: "", ...WISH };

export function show(place, start) {
  const now = state({ ...DEFAULTS, file: start.file || "" });
  const ignored = new Set(now.ignore ? JSON.parse(now.ignore) : []);
  let columns = [], beside = [], files = [], timer = 0, seen = {};
  const drop = h("div", { class: "drop" }), profile = h("div", {}), plan = h("div", {}), live = h("div", { "aria-live": "polite" }), result = h("div", {}), runs = h("div", {});

  // -- a file ----------------------------------------------------------------------------------------
  async function send(file) {
    if (file.size > start.limit) { say(`Files up to ${short(start.limit / 1048576)} MB can be dropped; start the lab in the folder of the file instead.`, true); return null; }
    say(`Reading ${file.name}…`);
    const answer = await fetch("upload", { method: "POST", headers: { "x-file-name": encodeURIComponent(file.name) }, body: file, credentials: "same-origin" });
    const told = await answer.json().catch(() => ({ error: `refused (${answer.status})` }));
    if (!answer.ok) { say([told.error, told.advice].filter(Boolean).join(" "), true); return null; }
    return told.name;
  }
  async function upload(file) {
    const name = await send(file);
    if (name) open(name, file.name);
  }
  function open(file, name) {
    Object.assign(now, { ...DEFAULTS, file, name: name || "" });
    ignored.clear();
    beside = [];
    result.replaceChildren();
    look();
  }
  const input = h("input", { type: "file", "aria-label": "Choose a file", onchange: () => input.files[0] && upload(input.files[0]) });
  drop.append("Drop a file here (CSV, Parquet, Excel, FASTA, matrix …), or ", input);
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); if (event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]); });
  ask("data", "files", {}, (found) => {
    files = found.files;
    if (found.files.length) drop.append(h("p", {}, "or from the folder of the lab: "), choice({ label: "file", options: [["", "–"], ...found.files.map((f) => [f, f])], value: now.file, on: (f) => f && open(f, "") }));
  });

  // -- its profile -----------------------------------------------------------------------------------
  function look() {
    keep("data", now, DEFAULTS);
    ask("data", "profile", { file: now.file, name: now.name, target: now.target }, (found) => {
      const d = found.document;
      say("");
      now.precomputed = ["kernel", "distance"].includes(d.kind) ? d.kind : "";
      seen = d;
      columns = (d.columns || []).map((c) => c.name);
      const notes = (d.checks || []).map((f) => h("p", { class: `note ${f.level === "warning" ? "warning" : ""}` }, h("b", {}, `${f.level}: `), f.message));
      const rows = (d.columns || []).map((c) => [checkbox({ label: c.name, value: !ignored.has(c.name), on: (v) => { if (v) ignored.delete(c.name); else ignored.add(c.name); now.ignore = ignored.size ? JSON.stringify([...ignored]) : ""; keep("data", now, DEFAULTS); } }),
        c.kind, c.missing, c.distinct, "min" in c ? `${short(c.min)} to ${short(c.max)}` : [...new Set(c.examples || [])].join(", ")]);
      profile.replaceChildren(h("h3", {}, `${d.name || "file"}: ${short(d.rows)} rows`), ...notes,
        columns.length ? table(["use", "kind", "missing", "distinct", "values"], rows) : h("pre", {}, found.lines.join("\n")));
      planned();
      if (now.labels) told();
    });
  }
  // what the file of labels says beside them may group the rows of a matrix
  function told() {
    beside = [];
    if (now.labels) ask("data", "profile", { file: now.labels, name: now.labels_name }, (found) => { beside = (found.document.columns || []).map((c) => c.name); planned(); });
    else planned();
  }
  const set = (name) => (v) => { now[name] = v; keep("data", now, DEFAULTS); };
  const apart = () => Boolean(now.precomputed) || Boolean(seen.sequences && !seen.labels);
  const can = () => (columns.length ? Boolean(now.target) : !apart() || Boolean(now.labels));
  const labelled = (labels, labels_name) => { Object.assign(now, { labels, labels_name, target: "", group: "", order: "" }); keep("data", now, DEFAULTS); told(); };
  function planned() {
    const known = columns.length ? columns : beside, related = ["fasta", "fastq"].includes(seen.format) ? [["related", "related sequences"]] : [];
    const names = [["", "–"], ...related, ...known.map((c) => [c, c])];
    plan.replaceChildren(h("div", { class: "panel" }, h("h3", {}, "Fit"),
      apart() && h("div", {}, h("p", {}, `${now.precomputed ? `A ${now.precomputed} matrix` : "Sequences"}: the labels of the rows come from a file of their own, from its last column or the one to predict.`),
        choice({ label: "labels", options: [["", "–"], ...files.map((f) => [f, f])], value: now.labels_name ? "" : now.labels, on: (v) => labelled(v, "") }),
        h("input", { type: "file", id: "labels", "aria-label": "Choose a file of labels", onchange: async (event) => { const file = event.target.files[0], name = file && await send(file); if (name) { say(""); labelled(name, file.name); } } }),
        now.labels_name && h("p", { class: "faint" }, now.labels_name)),
      columns.length > 0 && choice({ label: "predict", options: names, value: now.target, on: (v) => { now.target = v; look(); } }),
      !columns.length && beside.length > 0 && choice({ label: "predict", options: [["", "the last column"], ...beside.map((c) => [c, c])], value: now.target, on: set("target") }),
      names.length > 1 && choice({ label: "rows with the same value belong together", options: names, value: now.group, on: set("group") }),
      known.length > 0 && choice({ label: "order in time", options: [["", "–"], ...known.map((c) => [c, c])], value: now.order, on: set("order") }),
      choice({ label: "certificate from", options: ["auto", "holdout", "compress", "progressive", "in-sample", "none"], value: now.certify, on: set("certify") }),
      choice({ label: "kernel", options: ["auto", "gaussian", "linear", "laplacian", "matern"], value: now.kernel, on: set("kernel") }),
      choice({ label: "certify", options: [["", "the error"], ...start.metrics.filter((m) => m !== "cost")], value: now.metric, on: set("metric") }),
      slider({ label: "δ, certificate may be wrong", min: 1e-4, max: 0.5, log: true, value: now.delta, on: set("delta") }),
      slider({ label: "seconds", min: 5, max: 3600, log: true, whole: true, value: now.time_limit, on: set("time_limit") }),
      h("div", { class: "row" }, button("Fit and certify", fit, { class: "main", id: "fit", disabled: !can() }),
        !can() && h("span", { class: "faint", id: "first" }, columns.length ? "first choose the column to predict" : "first give the file with the labels of the rows"))));
  }

  // -- a fit -----------------------------------------------------------------------------------------
  async function fit() {
    try {
      const found = await post("data", "fit", { file: now.file, name: now.name, target: now.target, precomputed: now.precomputed, labels: now.labels, labels_name: now.labels_name, ignore: [...ignored], ...Object.fromEntries(Object.keys(WISH).map((k) => [k, now[k]])) });
      now.run = found.run;
      keep("data", now, DEFAULTS);
      follow(found);
    } catch (problem) { say(problem.message, true); }
  }
  function follow(begun) {
    const bar = h("progress", { max: 1, value: 0 }), words = h("p", {}, "waiting");
    const stop = button("Stop with the best so far", () => halt(false), { id: "stop" }), abort = button("Abort", () => halt(true), { id: "abort" });
    const halt = (atOnce) => ask("data", "stop", { run: begun.run, now: atOnce }, () => {
      stop.disabled = true; // asking twice changes nothing; to abort after all still does
      if (atOnce) abort.disabled = true;
      say(atOnce ? "Aborted." : "Stopping with the best so far.");
    });
    live.replaceChildren(h("div", { class: "panel" }, h("h3", {}, `Run ${begun.run}`), bar, words,
      h("div", { class: "row" }, stop, abort), begun.command && lines(begun)));
    clearInterval(timer);
    timer = setInterval(() => ask("data", "state", { run: begun.run }, (found) => {
      bar.value = found.share;
      words.textContent = `${found.status}${found.words ? `: ${found.words}` : ""}`;
      if (["done", "stopped", "failed"].includes(found.status)) {
        clearInterval(timer);
        stop.disabled = abort.disabled = true;
        if (found.status === "failed") say(found.error || "The fit failed.", true);
        if (found.status === "stopped") say(`Stopped ${found.words}.`);
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
        c ? h("div", { class: `note ${c.found && c.found.length ? "warning" : "good"}` }, (c.found || []).map((w) => h("p", {}, h("b", {}, w))), h("p", { class: "big" }, found.shown), h("p", {}, found.statement),
          facts([["confidence", percent(1 - c.delta)], ["rows counted", short(c.n)], ["how", c.title], ...(c.ledger || []).map((e) => [`δ for ${e.what}`, short(e.delta)])])) : h("p", { class: "note" }, "No certificate was asked for."),
        h("p", {}, found.model && found.model.words), h("p", { class: "faint" }, [found.split && found.split.words, found.search && found.search.words, found.needed && found.needed.words].filter(Boolean).join(". ")),
        h("div", { class: "row" }, files.map((f) => h("a", { href: `runs/${encodeURIComponent(run)}/${f}`, target: f === "report.html" ? "_blank" : null, rel: "noopener" }, f === "report.html" ? "Open the report (counted as looks: it shows errors and slices)" : f))),
        found.checks.length > 0 && h("details", {}, h("summary", {}, `Findings (${found.checks.length})`), found.checks.map((f) => h("p", { class: `note ${f.level}` }, f.message))),
        h("details", { open: true }, h("summary", {}, "Beside simpler models"), table(["model", "error", "on rows"], found.baselines.map((b) => [b.name, b.error == null ? b.words : percent(b.error), b.rows]))),
        moreRows(found.more_rows), guarantees(run, found, start.metrics),
        found.counted && h("h3", {}, "Read the counted rows"), found.counted && h("p", { class: "faint" }, `Opening one of these is a look, too.${found.split.order === "groups" ? " Limits count one row of every group: rows of a group are not independent." : ""}`), parts(run, found),
        c && !found.counted && h("p", { class: "note" }, "This way of certifying leaves no rows that the model neither learned nor was chosen by, so errors, slices and further guarantees have nothing to rest on. Fit again with the certificate from “holdout”."),
        h("details", {}, h("summary", {}, "Do it again"), h("pre", {}, found.reproduction && found.reproduction.command))));
    });
  }
  function compare() {
    ask("data", "runs", {}, (found) => {
      const same = new Set(found.runs.map((r) => r.sha256)).size < found.runs.length;
      runs.replaceChildren(...(found.runs.length ? [h("h3", {}, "Runs in this folder"), same && h("p", { class: "note warning" }, "Several runs used the same file: each certificate holds by itself; whoever picks the smallest has looked more than once."),
        table(["run", "target", "model", "certified", "look", "δ", "rows counted", "seconds"], found.runs.map((r) => [h("button", { onclick: () => { now.run = r.run; keep("data", now, DEFAULTS); results(r.run); } }, r.run), r.target, r.model, r.certified || "none", r.look, r.delta, r.counted, r.seconds]))].filter(Boolean) : []));
    });
  }
  place.append(h("div", { class: "split" }, h("div", {}, drop, profile, result, runs), h("div", {}, plan, h("p", {}), live)));
  if (now.file) look();
  if (now.run) results(now.run);
  compare();
  return () => clearInterval(timer);
}
