// The page of the solver: it shows the worker's messages (pocket.js) as bars and figures.

import "./shelf.js";

const solver = document.getElementById("solver");
const told = document.getElementById("solver-told");
const ask = document.getElementById("ask");
const words = JSON.parse(document.getElementById("words").textContent);
const bars = [...document.querySelectorAll("[data-level]")]; // the fullest card first
const rows = 6; // options that are shown

const number = (value, digits) =>
  value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const figure = (name, text) => (document.querySelector(`[data-of=${name}]`).textContent = text);
const say = (what, more = "") => (told.textContent = `${told.dataset[what]} ${more}`.trim());

let worker = null;
let waiting = null; // the open request: the worker gets one at a time

function asked(message) {
  worker ??= started();
  return new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage(message);
  });
}

function started() {
  const made = new Worker(solver.dataset.worker, { type: "module" });
  made.addEventListener("message", ({ data }) => {
    if (data.does) data.error ? waiting.reject(data.error) : waiting.resolve(data.told);
    else fill(data);
  });
  made.addEventListener("error", (event) => waiting.reject(event.message ?? ""));
  return made;
}

// Every level before this one is done.
function fill({ filled, done }) {
  for (const bar of bars) {
    const level = Number(bar.dataset.level);
    bar.value = level > filled ? bar.max : level === filled ? done : 0;
  }
}

// Other buttons are disabled meanwhile.
async function busy(work) {
  const buttons = [...document.querySelectorAll("#solver button, #ask button")];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    say("failed", error);
  }
  for (const button of buttons) button.disabled = false;
  solvedHere().catch(() => {});
}

const address = (name) => new URL(solver.dataset[name], location.href).href;
const open = (precision, how) =>
  asked({ does: "open", program: address(precision), facts: address("facts"), precision, ...how });

function show(found, precision) {
  fill({ filled: 0, done: 1 });
  figure("start", number(found.start, 2));
  figure("digits", precision === "float64" ? number(found.start, 9) : "");
  figure("seconds", number(found.seconds, 2));
  figure("megabytes", number(found.bytes / 1e6, 1));
  document.getElementById("solver-figures").hidden = false;
  ask.hidden = false;
  say(found.kept ? "kept" : "done");
}

async function solve(precision) {
  say("working");
  fill({ filled: bars.length, done: 0 });
  show(await open(precision, { anew: true }), precision);
}

async function recall() {
  const found = await open("float64", { recall: true });
  if (found) show(found, "float64");
}

function named(option) {
  if (option.action === "score") {
    const text = option.points ? words.score[option.points === 1 ? 0 : 1] : words.cross_out;
    return text.replace("%(points)s", option.points).replace("%(name)s", words.boxes[option.category]);
  }
  if (!option.dice.length) return words.nothing;
  return option.dice.length === words.dice ? words.all : words.hold.replace("%(dice)s", option.dice.join(" "));
}

function row(option) {
  const line = document.createElement("tr");
  const name = line.appendChild(document.createElement("th"));
  name.scope = "row";
  name.textContent = named(option);
  for (const text of [number(option.value, 2), option.best ? words.best : `−${number(option.regret, 2)}`]) {
    const cell = line.appendChild(document.createElement("td"));
    cell.className = "number";
    cell.textContent = text;
  }
  return line;
}

async function throwDice() {
  const thrown = Array.from({ length: words.dice }, () => 1 + Math.floor(words.faces * Math.random())).sort();
  const position = { filled: [], upper: 0, dice: thrown, rolls_left: words.rolls_left };
  const { options, seconds } = await asked({ does: "answer", position });
  figure("dice", thrown.join(" "));
  figure("milliseconds", number(1000 * seconds, 2));
  document.querySelector("#ask tbody").replaceChildren(...options.slice(0, rows).map(row));
  document.getElementById("ask-answer").hidden = false;
}

for (const button of document.querySelectorAll("[data-precision]")) {
  button.addEventListener("click", () => busy(() => solve(button.dataset.precision)));
}
document.getElementById("ask-throw").addEventListener("click", () => busy(throwDice));
document.getElementById("forget").addEventListener("click", () =>
  busy(async () => {
    await asked({ does: "forget" });
    say("forgotten");
  }),
);
solver.hidden = false;
busy(recall);
