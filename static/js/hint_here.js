// If this browser has solved the ruleset, a hint appears in the next frame: the dice to release and the best box. The
// page also asks the server, which counts and explains the hint; its board then replaces this one. Of equally good
// options, only the server shows one.

const here = document.querySelector("script[data-program]").dataset;
const board = () => document.getElementById("board");
const address = (name) => new URL(here[name], location.href).href;
const SURE = 1e-6; // points by which the best option must beat all others

let worker = null;
let facts = null; // facts of the ruleset whose values the worker has
let opened = ""; // the ruleset that the worker was asked to load

function ask(message) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.error ? reject(data.error) : resolve(data.told));
    worker.onerror = worker.onmessageerror = ({ message }) => reject(message ?? "");
    worker.postMessage(message);
  });
}

// Runs only if hints are allowed and the values are already solved.
async function open() {
  const ruleset = board()?.dataset.rules;
  if (!document.getElementById("hint") || opened === ruleset) return;
  opened = ruleset;
  facts = null;
  worker ??= new Worker(address("worker"), { type: "module" });
  const all = await (await fetch(address("facts"))).json();
  const how = { program: address("program"), facts: address("facts"), precision: "float64", recall: true };
  if (await ask({ does: "open", ruleset, ...how })) facts = all[ruleset];
}

// The order of the card: boxes in the order of the rules, column by column.
function position() {
  const columns = [...document.querySelectorAll("#card .boxes")].map((column) => [...column.children]);
  const used = columns.flat().map((place, n) => ({ place: place.querySelector(".box--used"), box: facts.boxes[n] }));
  const filled = used.filter(({ place }) => place);
  const points = (place) => Number(place.querySelector(".box__points").textContent);
  const upper = columns[0].map((place) => place.querySelector(".box--used")).filter(Boolean);
  return {
    filled: filled.map(({ box }) => box),
    upper: upper.reduce((sum, place) => sum + points(place), 0),
    chips_won: filled.some(({ place, box }) => box === facts.boxes[facts.joker] && points(place) > 0),
    dice: [...document.querySelectorAll("#dice .die use")].map((face) => Number(face.getAttribute("href").at(-1))),
    rolls_left: document.querySelectorAll("#roll .pips i:not([data-made])").length,
  };
}

// Holding all dice means filling a box later, so as a move it is that box.
function best({ options }, { dice }) {
  const moves = options.filter((option) => option.dice?.length !== dice.length);
  const [first, ...others] = moves.filter(({ regret }) => regret < SURE);
  return others.length ? null : first;
}

function show({ action, category, dice = [] }) {
  if (action === "score") return document.getElementById(`box-${category}`)?.setAttribute("data-best", "");
  const left = [...dice];
  const lying = [...document.querySelectorAll("#dice .die")];
  // Among equal dice, the dice that were held before the roll come first, as on the server.
  for (const die of [...lying.filter((one) => !("fresh" in one.dataset)), ...lying.filter((one) => "fresh" in one.dataset)]) {
    const at = left.indexOf(Number(die.querySelector("use").getAttribute("href").at(-1)));
    if (at < 0) die.setAttribute("data-dropped", "");
    else left.splice(at, 1) && die.setAttribute("data-marked", "");
  }
}

document.addEventListener("htmx:beforeRequest", async ({ detail }) => {
  if (detail.elt.id !== "hint" || !facts) return;
  const asked = board();
  const now = position();
  try {
    const found = best(await ask({ does: "answer", position: now }), now);
    if (found && asked === board()) show(found);
  } catch {
    facts = null; // the hint of the server still arrives
  }
});
const tried = () => open().catch(() => {});
document.addEventListener("htmx:afterSwap", tried);
tried();
