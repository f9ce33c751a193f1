// Questions to the server. For each kind one is under way and the newest one waits: dragging stays smooth.
import { say } from "./dom.js";

const running = new Map();

export class Problem extends Error {}

export async function post(view, call, body) {
  const answer = await fetch(`api/${view}/${call}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), credentials: "same-origin",
  });
  const found = await answer.json().catch(() => ({ error: `the lab answered ${answer.status}` }));
  if (!answer.ok) throw new Problem([found.error, found.advice].filter(Boolean).join(" "));
  return found;
}

export function ask(view, call, body, use) {
  const key = `${view}/${call}`, known = running.get(key);
  if (known) { known.next = { body, use }; return; }
  const job = { next: null };
  running.set(key, job);
  (async () => {
    let now = { body, use };
    while (now) {
      job.next = null;
      try {
        const begun = performance.now(), found = await post(view, call, now.body);
        found.milliseconds = performance.now() - begun;
        if (!job.next || job.next.use === now.use) now.use(found);
      } catch (problem) {
        say(problem instanceof Problem ? problem.message : `No answer: is the lab still running? (${problem.message})`, true);
      }
      now = job.next;
    }
    running.delete(key);
  })();
}

export function later(work, milliseconds = 350) {
  let timer = 0;
  return (...args) => { clearTimeout(timer); timer = setTimeout(work, milliseconds, ...args); };
}
