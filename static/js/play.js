// Improves the board with a script. Without this file every button is an ordinary submit.

const TYPING = "input, textarea, select, [contenteditable]";
const NATIVE = "a, button, summary";
const board = () => document.getElementById("board");
// With real dice, a typed roll also makes the board new.
const seqOf = ({ dataset }) => Number(dataset.seq) + Number(dataset.entries ?? 0);
// In a duel, the tray of players who wait shows the dice of the player whose turn it is.
const guestOf = ({ dataset }) => dataset.guest ?? "";

// Dice are held or released here. The next roll sends the hold.

function toggle(die) {
  const held = die.getAttribute("aria-pressed") !== "true";
  die.setAttribute("aria-pressed", held);
  die.setAttribute("aria-label", held ? die.dataset.held : die.dataset.free);
  die.querySelector("input").disabled = !held;
  tellCost();
  keepHeld();
  document.dispatchEvent(new CustomEvent("yatzy:held", { detail: held }));
}

const heldDice = () => [...document.querySelectorAll('button.die[aria-pressed="true"]')];

// The hold is sent with the roll. Until then, this tab stores it, so that a reload does not lose it.
const HELD = "held";
const place = () => `${board().dataset.game} ${seqOf(board())}`;

function keepHeld() {
  if (!("game" in board().dataset)) return; // the next position of a drill has other dice
  sessionStorage.setItem(HELD, JSON.stringify([place(), heldDice().map((die) => die.value)]));
}

function holdAgain() {
  const [where, slots] = JSON.parse(sessionStorage.getItem(HELD) ?? "[]");
  if (where !== place()) return;
  for (const die of document.querySelectorAll("button.die")) {
    if (slots.includes(die.value) !== (die.getAttribute("aria-pressed") === "true")) toggle(die);
  }
}

// The server has sent texts with the cost of every hold, for the live coach.
function tellCost() {
  const live = document.getElementById("live");
  if (!live) return;
  const slots = heldDice().reduce((mask, die) => mask | (1 << die.value), 0);
  const price = live.dataset.costs.split("|")[slots];
  const figure = live.querySelector("b");
  figure.textContent = price;
  figure.toggleAttribute("data-lost", price.startsWith("−"));
  for (const place of document.querySelectorAll(".roll__price")) place.textContent = price;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".board button");
  const die = button?.matches(".die");
  if (button && "pending" in board().dataset) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return wait();
  }
  // Ignores the second half of a double click, which would roll again for good.
  if (!die && !(button && event.detail > 1)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (die) toggle(button);
}, true);

// The keyboard.

function roll() {
  const button = document.getElementById("roll");
  if (button?.type === "submit") button.click();
}

// Space presses the focused button; after a click on a die it means "roll".
let clicked = null;
const isClicked = (element) => element === clicked || (element.id && element.id === clicked?.id);
document.addEventListener("pointerdown", ({ target }) => (clicked = target.closest?.(NATIVE)));

// A letter or an arrow only focuses a box: Enter scores it, and Space still means "roll".
let led = null;
const leads = (box) => (led = box)?.focus();
const isLed = (element) => element === led || (element.id && element.id === led?.id);

// A dialog that was just closed keeps the focus until the page is drawn again.
function activates(element, key) {
  if (!element.matches(NATIVE) || element.closest("dialog:not([open])")) return false;
  if (key === " " && isLed(element)) return false;
  if (!isClicked(element)) return true;
  element.blur();
  return false;
}

const openBoxes = () => [...document.querySelectorAll(".box--open")];

function moveBy(step) {
  const boxes = openBoxes();
  const at = boxes.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : boxes.length - 1) : (at + step + boxes.length) % boxes.length;
  leads(boxes[next]);
}

function moveAcross() {
  const here = document.activeElement;
  if (!here.matches(".box--open")) return moveBy(1);
  const place = here.getBoundingClientRect();
  const distance = (box) => Math.abs(box.getBoundingClientRect().top - place.top);
  const others = openBoxes().filter((box) => box.closest(".column") !== here.closest(".column"));
  leads(others.sort((one, other) => distance(one) - distance(other))[0]);
}

// A box is final, so the first press of its letter only focuses it.
function choose(key) {
  const box = document.querySelector(`.box--open[data-key="${key}"]`);
  if (box && box === document.activeElement) box.click();
  else leads(box);
  return Boolean(box);
}

const MOVES = {
  ArrowDown: () => moveBy(1),
  ArrowUp: () => moveBy(-1),
  ArrowLeft: moveAcross,
  ArrowRight: moveAcross,
};

// At the end of a game every link has a key.
function press(key) {
  const way = document.querySelector(`#over [data-press="${CSS.escape(key)}"]`);
  way?.click();
  return Boolean(way);
}

function act(event) {
  const { key, target, repeat } = event;
  if (!repeat && press(key)) return true;
  if (/^[1-9]$/.test(key)) {
    const die = document.querySelector(`button#die-${key - 1}`);
    if (die && !repeat) toggle(die);
    return Boolean(die);
  }
  if (key === "h") { // no box has this letter (game.core.words.labels.category_key)
    const hint = document.getElementById("hint");
    if (!repeat) hint?.click();
    return Boolean(hint);
  }
  if (key === "t") { // no box has this letter
    const take = document.getElementById("take");
    if (!repeat) take?.click();
    return Boolean(take);
  }
  if (key === "w") return repeat(), true;
  if (MOVES[key]) {
    const found = openBoxes().length > 0;
    if (found) MOVES[key]();
    return found;
  }
  if (key === " " || key === "Enter") {
    if (repeat) return true; // holding a key down rolls once
    if (key === " " && target.matches('a[role="button"]')) return target.click(), true;
    if (activates(target, key)) return false;
    roll();
    return true;
  }
  return /^[a-z]$/.test(key) && !repeat && choose(key);
}

document.addEventListener("keydown", (event) => {
  const elsewhere = event.target.closest?.(TYPING) || document.querySelector("dialog[open]");
  if (event.key === "Tab") clicked = led = null;
  if (event.ctrlKey || event.altKey || event.metaKey || elsewhere) return;
  if (act(event)) event.preventDefault();
});

// Some browsers press a button when the key is released.
document.addEventListener("keyup", (event) => {
  if (event.key === " " && isLed(event.target)) event.preventDefault();
});

// After a swap by our request or by the socket: keep the focus, read the news, let new dice fall.

// Sends how long the player took: the server's time would include the network.
let offered = performance.now();

const waited = () => Math.round(performance.now() - offered);

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.verb === "post" && board()?.contains(detail.elt)) detail.parameters.waited = waited();
});
// The form of a drill loads a page; its time is sent once.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id === "dice" && target.method === "post") formData.set("waited", waited());
});

let focused = "";
let seen = { game: "", seq: 0, guest: "", waited: false, says: [] };
function sightOf(current) {
  const { game, phase } = current.dataset;
  const says = eventsOf(current).map((event) => event.says);
  return { game, seq: seqOf(current), guest: guestOf(current), waited: phase === "wait", says };
}

function remember() {
  const current = board();
  const active = document.activeElement;
  const ours = current.contains(active) || active?.form?.id === "dice"; // a game can also be started from outside the board
  focused = ours ? active.id || "roll" : active.closest(".rules") ? "rules" : "";
  seen = sightOf(current);
}

function restore() {
  const current = board();
  refocus(current);
  const before = seen;
  seen = sightOf(current); // one reply swaps several parts
  // In a duel, dice also fall when the other players have set their holds, without a new decision.
  const fell = before.waited && !seen.waited;
  const moved = seen.game !== before.game || seen.seq !== before.seq;
  const changed = moved || fell;
  const thrown = seen.guest && seen.guest !== before.guest; // guests' dice are read elsewhere, once per turn
  // Events of this decision that were read before are not read again.
  const events = eventsOf(current);
  const news = events.filter(({ event, says }) => event !== "question" && (changed || !before.says.includes(says)));
  if (news.length && (changed || !thrown)) (moved ? announce : tell)(...news); // other players' moves do not interrupt the reader
  document.getElementById("ask").replaceChildren(...events.filter(({ event }) => event === "question").map(paragraph));
  if (changed) offered = performance.now();
  if (changed || thrown) rolled(current);
  if (!changed || current.dataset.phase !== "over") return;
  scrollTo(0, 0); // shows the result first
  stored("finished", Number(stored("finished")) + 1); // offline_coach.js counts a beginner's games
  const grade = current.querySelector("[data-grade]")?.dataset.grade;
  if (grade) stored("grade", grade);
}

// Lets new dice fall by the style sheet; their faces are visible from the first frame.
function rolled(current) {
  current.dataset.rolled = "";
  const fresh = current.querySelectorAll(".die[data-fresh]").length;
  document.dispatchEvent(new CustomEvent("yatzy:rolled", { detail: { dice: fresh, current } }));
}

// The focused element may be gone: a filled box is no button any more.
function refocus(current) {
  const safe = current.querySelector("[data-safe]");
  if (safe) return safe.focus({ preventScroll: true }); // a question comes before everything else
  if (!focused || current.contains(document.activeElement)) return;
  const places = [focused, "roll", "confirm", "enter", "over"].map((id) => document.getElementById(id));
  places.find((place) => place?.matches("button, a, section, summary"))?.focus({ preventScroll: true });
}

// One live region for events, a paragraph each ({ event, says }), and one for questions. The page names the kinds of
// events that the player keeps quiet; without a connection they are those of the page before.
const KEPT = 12;
const region = document.getElementById("announce");
const stored = (key, word) => {
  try {
    if (word !== undefined) localStorage.setItem(key, word);
    return localStorage.getItem(key);
  } catch {} // this browser stores nothing
};
const quiet = () => region.dataset.quiet ?? stored("quiet") ?? "";
const paragraph = ({ says }) => Object.assign(document.createElement("p"), { textContent: says });
const heard = (events) => events.filter(({ event }) => !quiet().split(" ").includes(event)).map(paragraph);
const announce = (...events) => region.replaceChildren(...heard(events));
const tell = (...events) => {
  region.append(...heard(events));
  while (region.children.length > KEPT) region.firstChild.remove();
};
const eventsOf = (board) => JSON.parse(board.querySelector("#status").dataset.events);

document.addEventListener("yatzy:happened", ({ detail: { anew, ...event } }) => region && (anew ? announce : tell)(event));

// Reads the last texts again.
function repeat() {
  for (const id of ["announce", "ask"]) {
    const lines = document.getElementById(id);
    lines?.replaceChildren(...[...lines.children].map(({ textContent }) => paragraph({ says: textContent })));
  }
}

// The same decision arrives twice, as a reply and through the socket. The second one changes nothing, and must not
// release dice that the player has held in between. Only a reply may add a note (a refusal, a question) to an equal
// board, or remove it.
function isNews(html, reply) {
  const next = new DOMParser().parseFromString(html, "text/html").getElementById("board");
  const current = board();
  if (!next || next.dataset.game !== current.dataset.game) return true;
  if (next.dataset.outcome !== current.dataset.outcome) return true; // other players have ended the duel
  if (next.dataset.rules !== current.dataset.rules) return true; // another empty card
  if (seqOf(next) < seqOf(current)) return reply || ("back" in current.dataset && seqOf(next) === seqOf(current) - 1); // a box was taken back
  if (seqOf(next) > seqOf(current)) return true;
  if (guestOf(next) !== guestOf(current)) return true;
  if ("coached" in next.dataset && !("coached" in current.dataset)) return true;
  if (next.dataset.phase === "wait" && String(sightOf(next).says) !== String(sightOf(current).says)) return true; // another player must move
  const noted = "note" in next.dataset || "note" in current.dataset;
  return next.dataset.phase !== current.dataset.phase || (reply && noted);
}

// These update the coach's progress and the chance of winning, without a new board.
const waits = ({ target }) => Boolean(target?.matches(".waiting, [data-target]")); // a delayed push has no target

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.shouldSwap || waits(detail)) return;
  detail.shouldSwap = isNews(detail.serverResponse, true);
  if (detail.shouldSwap) remember();
});
document.addEventListener("htmx:afterSwap", ({ detail }) => waits(detail) || restore());

// A push must not remove a button whose response is still to come, so the push waits.
let replies = 0;
let pushed = "";

// A push outside the board (the other players of a duel) does not wait.
const isOffBoard = ({ detail }) => !detail.message.includes('id="board"');

document.addEventListener("htmx:wsBeforeMessage", (event) => {
  if (isOffBoard(event)) return;
  if (!board()) return event.preventDefault(); // a duel has begun: the page reloads
  if (replies) pushed = event.detail.message;
  if (replies || !isNews(event.detail.message, false)) event.preventDefault();
  else remember();
});
document.addEventListener("htmx:wsAfterMessage", (event) => isOffBoard(event) || restore());
document.addEventListener("htmx:beforeRequest", (event) => {
  replies += 1;
  if (!waits(event)) pend(event.detail.elt);
});
document.addEventListener("htmx:afterRequest", () => {
  replies -= 1;
  if (!replies) settle();
  if (replies || !pushed) return;
  const html = pushed;
  pushed = "";
  if (!isNews(html, false)) return;
  remember();
  htmx.swap(board(), html, { swapStyle: "none" }); // its parts are out-of-band swaps
  restore();
});

// Shows a press at once, however slow the connection; a further press is answered with a text.
const SOON = 1800; // ms until the page says that no answer has come
let late;

function pend(element) {
  if (!board().contains(element)) return;
  board().dataset.pending = "";
  late = setTimeout(wait, SOON);
  const pressed = element.matches("form") ? document.activeElement : element;
  pressed.closest?.(".button, .box")?.setAttribute("data-waiting", "");
}

function settle() {
  clearTimeout(late);
  delete board().dataset.pending;
  for (const button of document.querySelectorAll("[data-waiting]")) button.removeAttribute("data-waiting");
}

function wait() {
  const status = document.getElementById("status");
  status.textContent = status.dataset.wait;
  announce({ event: "connection", says: status.dataset.wait });
}

// A text from the server instead of a board, in the page's language.
function said(xhr) {
  const words = xhr?.getResponseHeader("Content-Type")?.startsWith("text/plain");
  return words && xhr.getResponseHeader("Content-Language") ? xhr.responseText : "";
}

// There is no answer, or one without a board: show this next to the button, and reload the page.
function lost({ detail }) {
  settle();
  const says = said(detail.xhr) || region.dataset.lost;
  document.getElementById("status").textContent = says;
  announce({ event: "question", says });
}
document.addEventListener("htmx:sendError", lost);
document.addEventListener("htmx:timeout", lost);
document.addEventListener("htmx:responseError", lost);

if ("quiet" in (region?.dataset ?? {})) stored("quiet", quiet());
if (board()?.dataset.seq === "1") board().dataset.rolled = "";
if (board()?.dataset.phase === "decide") holdAgain();
document.querySelector("[data-safe]")?.focus({ preventScroll: true });
