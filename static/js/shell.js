// Lets a device keep the shell of the site. Only https and this machine itself offer that.
const { worker } = document.querySelector("script[data-worker]")?.dataset ?? {};
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}

// How many duels wait for the reader stands before the title, whichever of the two a push has changed.
const awaited = document.getElementById("awaited");
function titled() {
  const bare = document.title.replace(/^\(\d+\) /, "");
  const count = awaited.querySelector("b")?.textContent;
  const wanted = count ? `(${count}) ${bare}` : bare;
  if (document.title !== wanted) document.title = wanted;
}
if (awaited) {
  const changes = new MutationObserver(titled);
  for (const one of [awaited, document.querySelector("title")]) changes.observe(one, { childList: true });
}
