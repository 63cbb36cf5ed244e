// Runs on the page that replaces another one without a connection: it reloads when the server answers.
const EVERY = 3000; // ms
const { alive, own } = document.querySelector("script[data-alive]").dataset;

async function ask() {
  const answer = await fetch(alive, { cache: "no-store", signal: AbortSignal.timeout(EVERY) }).catch(() => null);
  if (answer?.ok) location.reload();
}
if (location.pathname !== own) { // if the offline page was opened itself, there is nothing to reload
  setInterval(ask, EVERY);
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", ask);
}
