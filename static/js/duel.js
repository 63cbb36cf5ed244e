// On a duel's page, runs the clocks between two pushes, and reloads the page when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

// The title shows the result. The board reads it aloud, and this function does so for watchers, who have no board.
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

// Reads each move of the other players aloud once, after the board's texts (play.js).
const heard = new Map(); // by seat: turns that were read aloud
const happened = (event, says) => document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event, says } }));

function tellMoves() {
  for (const { dataset } of document.querySelectorAll(".seat[data-said]")) {
    const turns = Number(dataset.turns);
    if (turns > (heard.get(dataset.number) ?? 0)) {
      heard.set(dataset.number, turns);
      if (!over()) happened("opponent", dataset.said); // at the end, the result is enough
    }
  }
}
for (const { dataset } of document.querySelectorAll(".seat[data-said]")) {
  heard.set(dataset.number, Number(dataset.turns)); // moves from before the page was loaded
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

const shown = new WeakMap(); // by clock: when the server sent its time
function tick() {
  for (const clock of document.querySelectorAll("[data-ticking]")) {
    if (!shown.has(clock)) shown.set(clock, performance.now());
    const gone = (performance.now() - shown.get(clock)) / 1000;
    const left = Math.max(0, Math.floor(clock.dataset.clock - gone));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }
}
setInterval(tick, 250);
