// The script of a duel's page: clocks run between two pushes, and the page reloads when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

// The title shows the result. The board reads it aloud; for watchers, who have no board, this does.
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

// Reads each move and greeting of the other players aloud once, after the board's texts (play.js).
const heard = new Map(); // by seat: the turns and the greeting that were read aloud
const happened = (event, says) => document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event, says } }));

function tellNews(isFirst) {
  for (const seat of document.querySelectorAll(".seat[data-turns]")) {
    const { number, name, turns, news, greeting } = seat.dataset;
    const before = heard.get(number) ?? { turns: 0 };
    heard.set(number, { turns: Math.max(turns, before.turns), greeting });
    if (isFirst) continue;
    if (turns > before.turns && !over()) happened("opponent", `${name}: ${news}`); // the verdict is enough then
    if (greeting && greeting !== before.greeting) happened("opponent", `${name}: ${greeting}`);
  }
}
tellNews(true); // news from before the page was loaded

function changed() {
  tellNews(false);
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
