// What a duel's page does by itself: clocks run on between two pushes, and the page changes its form
// when the duel begins.
const state = () => document.getElementById("seats").dataset.state;
const begun = state();

document.addEventListener("htmx:wsAfterMessage", () => {
  if (begun === "open" && state() !== begun) location.reload();
});

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
