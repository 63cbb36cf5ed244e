// The script of a duel's page: clocks run between two pushes, and the page reloads when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

// The title shows the result. The board reads it aloud; for watchers, who have no board, this does.
const over = () => state() === "finished" || state() === "withdrawn";
const happened = (detail) => document.dispatchEvent(new CustomEvent("yatzy:happened", { detail }));
let ended = over();
function tellEnd() {
  const { title, event } = document.getElementById("seats").dataset;
  document.title = title;
  if (!ended && over() && !document.getElementById("board")) happened(JSON.parse(event));
  ended = over();
}

// Reads each move of the other players aloud once, after the board's texts (play.js).
const moves = () => [...document.querySelectorAll(".seat[data-event]")].map(({ dataset }) => JSON.parse(dataset.event));
const heard = new Map(moves().map(({ facts }) => [facts.number, facts.turns])); // moves from before the page was loaded

function tellMoves() {
  for (const event of moves()) {
    const { number, turns } = event.facts;
    if (turns <= (heard.get(number) ?? 0)) continue;
    heard.set(number, turns);
    if (!over()) happened(event); // the verdict is enough then
  }
}

function changed() {
  tellMoves();
  tellEnd();
}

document.addEventListener("htmx:wsAfterMessage", () => {
  if (begun === "open" && state() !== begun) location.reload();
  changed();
});
document.addEventListener("htmx:afterSettle", changed);

const shown = new WeakMap(); // by clock: when its time was sent
function tick() {
  for (const clock of document.querySelectorAll("[data-ticking]")) {
    if (!shown.has(clock)) shown.set(clock, performance.now());
    const gone = (performance.now() - shown.get(clock)) / 1000;
    const left = Math.max(0, Math.floor(clock.dataset.clock - gone));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
}
setInterval(tick, 250);
