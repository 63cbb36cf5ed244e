// The page that is shown for another one while there is no connection: that one comes as soon as the server answers.
const EVERY = 3000; // ms
const { alive, own } = document.querySelector("script[data-alive]").dataset;

async function ask() {
  const answer = await fetch(alive, { cache: "no-store", signal: AbortSignal.timeout(EVERY) }).catch(() => null);
  if (answer?.ok) location.reload();
}
if (location.pathname !== own) { // where it is shown as itself there is nothing to go to
  setInterval(ask, EVERY);
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", ask);
}
