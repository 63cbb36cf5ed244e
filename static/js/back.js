// Runs on the page that the browser shows without a connection: reloads it when the server answers.
const EVERY = 3000; // ms between two tries
const { alive, own } = document.querySelector("script[data-alive]").dataset;

async function ask() {
  const answer = await fetch(alive, { cache: "no-store", signal: AbortSignal.timeout(EVERY) }).catch(() => null);
  if (answer?.ok) location.reload();
}
if (location.pathname !== own) { // if the player opened the offline page itself, nothing needs a reload
  setInterval(ask, EVERY);
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", ask);
}
