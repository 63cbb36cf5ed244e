// The script of every page. Only https and localhost can have a service worker.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone) document.cookie = `zone=${timeZone};path=/;max-age=31536000;samesite=lax`;

const { worker } = document.querySelector("script[data-worker]")?.dataset ?? {};
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}

// The reader's text for the seed of the dice: random, unless the reader typed one.
addEventListener("formdata", ({ target: { elements: { added } }, formData }) => {
  if (added) formData.set("added", (added.value ||= crypto.getRandomValues(new Uint32Array(4)).join("")));
});

const TYPING = "input, textarea, select, [contenteditable]";
const open = (id) => document.getElementById(id)?.showModal();

addEventListener("keydown", (event) => {
  const elsewhere = event.target.closest?.(TYPING) || document.querySelector("dialog[open]");
  if (event.key !== "?" || event.ctrlKey || event.altKey || event.metaKey || elsewhere) return;
  event.preventDefault();
  open("keys");
});

document.addEventListener("click", ({ target }) => {
  const opener = target.closest?.("[data-dialog]");
  if (opener) open(opener.dataset.dialog);
});
// The title begins with the number of duels that wait for the reader. A push may change the title or the number.
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

// The unfinished offline game of this device. The first page and "You" name it at the top, others at the end.
function nameOfflineGame(link, rules) {
  if (!link || !rules) return;
  link.href += rules;
  link.hidden = false;
  const line = document.querySelector(".guide, #status > p:only-child");
  if (line) line.append(" ", link);
  else document.querySelector(".profile > h1")?.after(link);
}
try {
  nameOfflineGame(document.getElementById("offline-game"), localStorage.getItem("offline-game"));
} catch { /* the browser stores nothing for this site */ }
