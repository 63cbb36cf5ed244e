// What a duel's page does by itself: clocks run on between two pushes, and the page changes its form
// when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

// How it ended stands in the title; the board says it aloud, and here anyone who watches hears it.
const over = () => state() === "finished" || state() === "withdrawn";
let ended = over();
function tellEnd() {
  const seats = document.getElementById("seats");
  document.title = seats.dataset.title;
  if (ended || !over()) return;
  ended = true;
  if (document.getElementById("board")) return;
  happened("end", seats.querySelector(".seats__verdict").textContent);
}

// Moves of the others are said once each, when they come, after what the board says (play.js).
const heard = new Map(); // of each seat, how many turns
const happened = (event, says) => document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event, says } }));

function tellMoves() {
  for (const { dataset } of document.querySelectorAll(".seat[data-said]")) {
    const turns = Number(dataset.turns);
    if (turns > (heard.get(dataset.number) ?? 0)) {
      heard.set(dataset.number, turns);
      if (!over()) happened("opponent", dataset.said); // the verdict is enough then
    }
  }
}
for (const { dataset } of document.querySelectorAll(".seat[data-said]")) {
  heard.set(dataset.number, Number(dataset.turns)); // what stood there when the page came
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

const shown = new WeakMap(); // since when a clock says what it said
function tick() {
  for (const clock of document.querySelectorAll("[data-ticking]")) {
    if (!shown.has(clock)) shown.set(clock, performance.now());
    const gone = (performance.now() - shown.get(clock)) / 1000;
    const left = Math.max(0, Math.floor(clock.dataset.clock - gone));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
}
setInterval(tick, 250);
