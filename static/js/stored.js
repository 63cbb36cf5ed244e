// The page that lists the data that this browser stores. It can delete one entry or all.

import "./shelf.js";

const page = document.getElementById("stored");
const told = document.getElementById("stored-told");
const words = JSON.parse(document.getElementById("words").textContent);
const { lang } = document.documentElement;
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
const many = (texts, number, values) => fill(texts[number === 1 ? 0 : 1], values);
const moment = (at) => new Date(at).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" });
const size = (bytes) => fill(words.size, { size: Math.ceil(bytes / 1000).toLocaleString(lang) });

// ---- Each kind of data: its name, its description, and how to delete it ----

function stateOf({ rules, turns, total, ended, refused }) {
  const number = turns.filter(({ box }) => box).length + 1;
  if (!ended) return fill(words.unfinished, { turn: number, turns: words.turns[rules] });
  const points = many(words.waits, total, { total });
  if (!refused) return points;
  const reason = refused.told ?? words.reasons[refused.status] ?? words.reasons.other;
  return `${points}. ${fill(words.refused, { reason })}`;
}

const LISTS = {
  async games() {
    const games = await shelf("games", "readonly", (all) => all.getAll());
    document.getElementById("again").hidden = !games.some(({ ended }) => ended);
    return games.sort((one, other) => one.began - other.began).map((game) => ({
      name: `${words.games[game.rules]}, ${moment(game.began)}`,
      note: stateOf(game),
      goesOn: game.ended ? "" : `${page.dataset.table}&rules=${game.rules}`,
      bytes: JSON.stringify(game).length,
      gone: () => shelf("games", "readwrite", (all) => (noted("offline-game", ""), all.delete(game.name))),
    }));
  },
  async values() {
    const keys = await shelf("values", "readonly", (all) => all.getAllKeys());
    return Promise.all(keys.map(async (key) => {
      const [what, which] = key.split(" ");
      const { byteLength } = await shelf("values", "readonly", (all) => all.get(key));
      const gone = () => shelf("values", "readwrite", (all) => all.delete(key));
      const named = what === "played" ? [which, words.played] : [words.hashes[what], which];
      return { name: words.games[named[0]] ?? words.other, note: named[1], bytes: byteLength, gone };
    }));
  },
  async files() {
    const names = await caches.keys();
    return Promise.all(names.map(async (name) => {
      const cache = await caches.open(name);
      const kept = await cache.matchAll();
      const bodies = await Promise.all(kept.map((answer) => answer.blob()));
      const bytes = bodies.reduce((sum, body) => sum + body.size, 0);
      return { name: many(words.files, kept.length, { count: kept.length }), note: fill(words.version, { name: name.replace("shell-", "") }), bytes, gone: () => caches.delete(name) };
    }));
  },
};

// ---- Display ----

function rowOf({ name, note, goesOn = "", bytes, gone }) {
  const row = document.getElementById("part-row").content.firstElementChild.cloneNode(true);
  const [title, remark, link] = row.querySelector("th").children;
  title.textContent = name;
  remark.textContent = note;
  Object.assign(link, { href: goesOn, hidden: !goesOn });
  row.querySelector("td").textContent = size(bytes);
  const button = row.querySelector("button");
  button.lastElementChild.textContent = name;
  asked(button, gone);
  return row;
}

// The browser's answer to the request for permanent storage (offline.js).
async function lasts() {
  if (await navigator.storage?.persisted?.()) return words.lasts;
  return noted("asked-to-last") ? words.may_go : words.not_asked;
}

// The list does not move while a button asks for the second press.
async function draw() {
  document.getElementById("stored-lasts").textContent = await lasts();
  await solvedHere();
  const rows = await Promise.all(Object.values(LISTS).map((list) => list()));
  if (page.querySelector("[data-sure]")) return;
  Object.keys(LISTS).forEach((part, n) => {
    page.querySelector(`[data-of=${part}]`).replaceChildren(...rows[n].map(rowOf));
    page.querySelector(`[data-none=${part}]`).hidden = rows[n].length > 0;
  });
}

// Nothing can restore deleted data, so the first press asks, and the second one deletes.
function asked(button, gone) {
  const said = button.firstElementChild;
  const before = said.textContent;
  const ask = (now) => {
    button.toggleAttribute("data-sure", now);
    said.textContent = now ? words.sure : before;
  };
  button.addEventListener("blur", () => ask(false));
  button.addEventListener("click", async () => {
    if (!("sure" in button.dataset)) return ask(true);
    try {
      await gone();
      ask(false);
      await draw();
      told.textContent = words.gone;
    } catch (error) {
      told.textContent = `${words.failed} ${error}`;
    }
    told.focus();
  });
}

async function everything() {
  for (const list of Object.values(LISTS)) for (const { gone } of await list()) await gone();
  localStorage.clear();
}

try {
  asked(document.getElementById("everything"), everything);
  const worker = navigator.serviceWorker;
  document.getElementById("again").addEventListener("click", () => worker?.controller?.postMessage("again"));
  worker?.addEventListener("message", draw); // the worker has sent games
  await draw();
} catch (error) {
  told.textContent = `${words.failed} ${error}`;
}
page.hidden = false;
