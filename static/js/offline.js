// A game without a connection. The kernel (pocket.js) knows the rules: the score of a roll in each box, and the open
// boxes. Dice, holds and keys work as on every board (play.js). This script replaces the server.

import { cardOf, newTurn, positionAt } from "./offline_game.js";
import "./shelf.js";

const play = document.getElementById("play");
const words = JSON.parse(document.getElementById("words").textContent);
const cards = [...document.querySelectorAll("template[data-card]")].map((card) => card.dataset.card);
const asked = new URLSearchParams(location.search).get("rules") ?? noted("offline-rules");
const rules = cards.includes(asked) ? asked : cards[0];
const facts = JSON.parse(document.getElementById(rules).textContent);
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
const many = (texts, number, values) => fill(texts[number === 1 ? 0 : 1], values);
const part = (name) => document.getElementById(`part-${name}`).content.firstElementChild.cloneNode(true);
const find = (selector) => play.querySelector(selector);

// ---- Storage: games by id; a worker sends finished games to the server ----

const steps = ({ turns }) => turns.reduce((sum, { thrown, box }) => sum + thrown.length + (box ? 1 : 0), 0);

let stored = 0; // number of steps that the device had stored before the last step
let unkept = false; // true if the device cannot store: its disk is full, or the window is private

// Stores a roll before the page shows it, so a reload shows the same dice. Returns false, and stores nothing, if
// another tab has played on, or if the game was sent or deleted. If the device cannot store games, the game goes on.
async function keep(seen) {
  let own = false;
  if (!unkept) stored = seen; // otherwise the device has not stored all steps
  try {
    await shelf("games", "readwrite", (games) => {
      const before = games.get(game.name);
      before.onsuccess = () => {
        own = stored === steps(before.result ?? { turns: [] });
        if (own && game.of && game.ended) games.delete(game.name); // a repeated game has known dice: it is not sent
        else if (own) games.put({ ...game, total: card().total });
        if (own) noted("offline-game", game.ended ? "" : rules);
      };
      return before;
    });
    unkept = false;
  } catch {
    unkept = true;
    return true;
  }
  return own;
}

async function begun() {
  let games = [];
  try {
    games = await shelf("games", "readonly", (all) => all.getAll());
  } catch {
    unkept = true;
  }
  return games.find((one) => one.rules === rules && !one.ended) ?? { name: crypto.randomUUID(), rules, began: Date.now(), turns: [] };
}

// ---- The state that follows from the moves ----

function die() {
  const [byte] = crypto.getRandomValues(new Uint8Array(1));
  return byte < 252 ? 1 + (byte % 6) : die(); // rejects higher bytes, so that all faces are equally likely
}

const dice = () => Array.from({ length: facts.dice }, die);

let game;
let options = []; // the kernel's options for the rolled dice
let coach = null; // offline_after.js

const last = () => game.turns.at(-1);
const turn = () => (last() && !last().box ? last() : null);
// A joker that some open boxes do not allow.
const closed = () => Boolean(turn()) && offers().size < facts.boxes.length - card().filled.length;
const left = () => facts.throws - (turn()?.thrown.length ?? 0);
const card = () => cardOf(game.turns, facts);
const position = () => turn() && positionAt(game.turns, facts).position;

// ---- The kernel, in a worker ----

let kernel = null;
const address = (name) => new URL(play.dataset[name], location.href).href;
const opened = { does: "open", program: address("program"), facts: address("facts"), ruleset: rules, precision: "float64", rules_alone: true };

// `heard` gets reports of progress.
function told(worker, message, heard) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (!data.does ? heard(data) : data.error ? reject(data.error) : resolve(data.told));
    worker.onerror = worker.onmessageerror = ({ message }) => reject(message ?? "");
    worker.postMessage(message);
  });
}

// Starts a failed worker once more: the browser may have taken its memory.
async function ask(message) {
  if (kernel) {
    try {
      return await told(kernel, message);
    } catch {
      kernel.terminate();
    }
  }
  kernel = new Worker(play.dataset.worker, { type: "module" });
  await told(kernel, opened);
  return told(kernel, message);
}

async function look() {
  options = turn() ? (await ask({ does: "answer", position: position() })).options : [];
  await coach.look();
}

// ---- Display ----

const offers = () => new Map(options.filter(({ action }) => action === "score").map((one) => [one.category, one]));

function drawBox(place, box, offered) {
  const filled = game.turns.find((one) => one.box === box.id);
  const offer = offered.get(box.id);
  const { name, key } = box;
  if (!filled && !offer) return place.replaceChildren(place.empty);
  const drawn = part(filled ? "used" : "open").firstElementChild;
  const set = (what, told) => (drawn.querySelector(what).textContent = told);
  const points = filled ? filled.points : offer.points - offer.chip;
  set(".box__name", name);
  set(".box__points", points);
  if (filled) {
    set(".hidden", many(words.used, points, { name, points, dice: filled.thrown.at(-1).join(", ") }));
    drawn.querySelector(".box__dice").innerHTML = filled.thrown.at(-1).map((face) => `<svg class="mini"><use href="#p${face}"/></svg>`).join("");
    drawn.toggleAttribute("data-fresh", filled === last());
  } else {
    Object.assign(drawn, { id: `box-${box.id}`, value: box.id });
    drawn.dataset.key = key;
    drawn.toggleAttribute("data-nothing", !points);
    set(".hidden", many(words.offer, points, { name, points }));
    set(".box__hint", box.hint);
    set(".box__key", key);
  }
  place.replaceChildren(drawn);
}

function drawDice() {
  const now = turn();
  const held = now?.kept ?? [];
  find(".dice").replaceChildren(
    ...(now ? now.thrown.at(-1) : Array(facts.dice).fill(0)).map((face, slot) => {
      const drawn = now ? part("die") : find(".dice").empty[slot].cloneNode(true);
      if (!now) return drawn;
      const isHeld = held.includes(slot) && left() > 0;
      const about = { number: slot + 1, face: words.faces[face] };
      Object.assign(drawn.dataset, { held: fill(words.held, about), free: fill(words.free, about) });
      Object.assign(drawn, { id: `die-${slot}`, value: slot, type: "button", disabled: !left() });
      drawn.setAttribute("aria-pressed", isHeld);
      drawn.setAttribute("aria-label", isHeld ? drawn.dataset.held : drawn.dataset.free);
      drawn.toggleAttribute("data-fresh", !held.includes(slot));
      drawn.querySelector("use").setAttribute("href", `#p${face}`);
      drawn.querySelector(".die__key").textContent = slot + 1;
      Object.assign(drawn.querySelector("input"), { value: slot, disabled: !isHeld });
      return drawn;
    }),
  );
}

function drawRoll() {
  const roll = find("#roll");
  const may = left() > 0;
  roll.type = may ? "submit" : "button";
  roll.toggleAttribute("aria-disabled", !may);
  if (!may) roll.setAttribute("aria-disabled", "true");
  roll.replaceChildren(...(may ? roll.whole.map((node) => node.cloneNode(true)) : [words.choose]));
  if (!may) return;
  roll.querySelectorAll(".pips i").forEach((pip, n) => pip.toggleAttribute("data-made", n < facts.throws - left()));
  roll.querySelector(".roll__left").lastChild.textContent = many(words.left, left(), { left: left() });
}

function drawSums({ upper, bonus, chips, total, filled }) {
  const box = find(".bonus");
  const open = facts.boxes.filter((one) => one.upper && !filled.includes(one.id));
  const most = upper + open.reduce((sum, { maximum }) => sum + maximum, 0);
  const missing = facts.goal - upper;
  box.toggleAttribute("data-won", bonus > 0);
  box.querySelector(".bonus__points").textContent = bonus || fill(words.sum_of, { sum: upper, goal: facts.goal });
  box.querySelector("progress").value = upper;
  const told = bonus ? words.upper : !open.length ? words.short : most < facts.goal ? words.out : words.to_go;
  box.querySelector(".bonus__hint").textContent = fill(told, { sum: upper, missing, points: facts.bonus });
  find(".total__points").textContent = total;
  const won = find(".bonus--chips .bonus__points");
  if (won) won.textContent = chips;
  const lost = won && filled.includes(facts.joker) && !card().chips_won;
  if (lost) find(".bonus--chips .bonus__hint").textContent = facts.chipless;
}

function said(filled) {
  const { speech } = coach;
  const [now, { total }] = [turn(), card()];
  if (game.ended) return speech.say("end", { total }, total);
  if (now) return speech.say(left() ? "dice" : "dice_last", { dice: now.thrown.at(-1).join(", "), left: left() }, left());
  if (!last()) return words.begin;
  const { box, points } = last();
  return speech.say("box", { name: speech.box(box), points, turn: filled + 1, turns: facts.boxes.length }, points);
}

let drawn = false; // the page's first state is not read aloud

function draw() {
  const sums = card();
  const number = sums.filled.length;
  const offered = offers();
  const board = find("#board");
  board.dataset.seq = steps(game);
  board.dataset.phase = game.ended ? "over" : !turn() ? "roll" : left() ? "decide" : "score";
  board.dataset.rolled = "";
  const turns = facts.boxes.length;
  if (!game.ended && !find("#dice")) find(".tray").replaceChildren(...tray);
  if (find(".actions") !== actions) find(".actions")?.replaceWith(actions); // a pressed button keeps its place
  find(".meta__turn").textContent = fill(words.turn, { turn: Math.min(number + 1, turns), turns });
  places.forEach((place, n) => drawBox(place, inOrder[n], offered));
  drawSums(sums);
  const what = closed() ? words.joker : !turn() ? said(number) : left() ? words.decide : words.score;
  const line = document.createElement("p");
  line.textContent = what;
  find("#status").replaceChildren(line);
  if (drawn) coach.happened(turn() ? "dice" : game.ended ? "end" : "box", said(number), { anew: true });
  if (drawn && closed()) coach.happened("joker", what);
  drawn = true;
  const ask = document.getElementById("ask");
  if (unkept !== Boolean(ask.textContent)) ask.textContent = unkept ? words.unkept : "";
  const warning = document.getElementById("unkept");
  warning.hidden = !unkept;
  warning.textContent = unkept ? words.unkept : "";
  if (game.ended) return drawEnd(sums.total);
  drawDice();
  drawRoll();
  coach.draw();
}

function show(other) {
  game = other;
  stored = steps(game);
  return look().then(draw);
}

function drawEnd(total) {
  const over = part("over");
  over.querySelector(".over__points").textContent = total;
  over.querySelector("#again").href = `?rules=${rules}`;
  find(".tray").replaceChildren(find("#status"), over);
  over.focus();
  coach.draw();
}

// ---- The player's moves ----

const held = () => [...play.querySelectorAll('button.die[aria-pressed="true"]')].map((die) => Number(die.value));

async function thrown() {
  if (!turn()) game.turns.push(newTurn());
  const now = turn();
  coach.helped();
  if (game.turns.length === 1 && !now.thrown.length) game.block ??= facts.boxes.map(() => Array.from({ length: facts.throws }, dice));
  if (!left()) return;
  const before = now.thrown.at(-1) ?? [];
  now.kept = before.length ? held() : [];
  if (before.length) now.held.push(now.kept.map((slot) => before[slot]));
  const coming = game.block?.[game.turns.length - 1][now.thrown.length] ?? dice();
  now.thrown.push(coming.map((face, slot) => (now.kept.includes(slot) ? before[slot] : face)));
}

async function scored(box) {
  const offer = offers().get(box);
  if (!offer) return;
  Object.assign(turn(), { box, points: offer.points - offer.chip, chip: offer.chip });
  if (game.turns.length < facts.boxes.length) return;
  game.ended = Date.now();
  noted("finished", Number(noted("finished")) + 1);
}

// Does one action at a time: presses during an action are ignored; presses before the start wait.
let busy = false;
let ready;
const there = new Promise((done) => (ready = done));

async function does(what) {
  if (busy) return;
  busy = true;
  try {
    await there;
    const seen = steps(game);
    await what();
    if (!(await keep(seen))) game = await begun();
    await look();
    draw();
    if (game.ended) ended();
    else find("#roll").focus({ preventScroll: true });
    marked = marked.then(mark).then(renew);
  } catch (error) {
    failed(error);
  } finally {
    busy = false;
  }
}

function failed(error) {
  find("#status").textContent = `${words.failed} ${error?.message ?? error}`;
}
addEventListener("unhandledrejection", ({ reason }) => failed(reason));

function ended() {
  navigator.serviceWorker?.controller?.postMessage("hand in");
  lasting();
}

// ---- A new version of the site takes over between turns: during a turn this page holds a lock ----

let within = null; // the lock, while a turn is open
let over = () => {};
let marked = Promise.resolve(); // lock requests run one after the other

async function mark() {
  if (Boolean(turn()) === Boolean(within)) return;
  if (turn()) {
    const end = new Promise((done) => (over = done));
    within = navigator.locks?.request("turn", { mode: "shared" }, () => end);
    return;
  }
  over();
  await within;
  within = null;
  const registration = await navigator.serviceWorker?.getRegistration();
  registration?.waiting?.postMessage("between turns");
}

// The game is stored, so the new page continues it. A result stays until the player has read it.
let renewed = false;
function renew() {
  if (renewed && !busy && !turn() && !game.ended) location.replace(`${play.dataset.table}?rules=${rules}`);
}

navigator.serviceWorker?.addEventListener("controllerchange", () => {
  renewed = true;
  if (game) renew();
});

// Asks the browser once to keep the storage, for players who have stored something.
function lasting() {
  if (noted("asked-to-last")) return;
  noted("asked-to-last", "yes");
  navigator.storage?.persist?.();
}

function go(submitter) {
  if (submitter?.name === "category") does(() => scored(submitter.value));
  else if (submitter?.id === "roll") does(thrown);
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!busy && !coach?.asks(event.submitter, held())) go(event.submitter);
});

// ---- Start ----

play.prepend(document.querySelector(`template[data-card="${rules}"]`).content.cloneNode(true));
const inOrder = [...facts.boxes.filter(({ upper }) => upper), ...facts.boxes.filter(({ upper }) => !upper)];
const places = [...play.querySelectorAll(".boxes > li")];
for (const place of places) place.empty = place.firstElementChild;
find(".dice").empty = [...find(".dice").children];
find("#roll").whole = [...find("#roll").childNodes];
find(".thrown").remove();
find(".hint").remove();
const actions = find(".actions");
const tray = [...find(".tray").children];
const chosen = document.querySelector(`[data-of="${rules}"]`);
chosen.setAttribute("aria-current", "page");
document.querySelector("#rules b").textContent = chosen.textContent;
noted("offline-rules", rules);
solvedHere().catch(() => {});
if (matchMedia("(display-mode: standalone)").matches) lasting();

try {
  await ask(opened);
  game = await begun();
  const { WholeCoach } = await import(address("coach"));
  coach = new WholeCoach({ play, facts, rules, words, address, game: () => game, card, position, keep: () => keep(steps(game)), go, show, dice, offers, closed, left, held, told });
  await mark();
  await look();
  draw();
  ready();
} catch (error) {
  failed(error);
}
