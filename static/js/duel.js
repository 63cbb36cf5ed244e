// On a duel's page, runs the clocks between two pushes, and reloads the page when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

// The title shows the result. The board reads it aloud, and this function does so for watchers, who have no board.
const over = () => state() === "finished" || state() === "withdrawn";
const happened = (detail) => document.dispatchEvent(new CustomEvent("yatzy:happened", { detail }));
let ended = over();
function tellEnd() {
  const { title, event } = document.getElementById("seats").dataset;
  document.title = title;
  if (!ended && over() && !document.getElementById("board")) happened(JSON.parse(event));
  ended = over();
}

// Reads each move and greeting of the other players aloud once, after the board's texts (play.js).
const heard = new Map(); // by seat: the turns and the greeting that were read aloud

function tellNews(isFirst) {
  for (const { dataset } of document.querySelectorAll(".seat:not([data-mine])")) {
    const { number, name, greeting } = dataset;
    const event = dataset.event && JSON.parse(dataset.event);
    const turns = event ? event.facts.turns : 0;
    const before = heard.get(number) ?? { turns: 0 };
    heard.set(number, { turns: Math.max(turns, before.turns), greeting });
    if (isFirst) continue;
    if (turns > before.turns && !over()) happened(event); // the verdict is enough then
    if (greeting && greeting !== before.greeting) happened({ event: "opponent", says: `${name}: ${greeting}` });
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
