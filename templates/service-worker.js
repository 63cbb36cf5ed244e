{% load i18n %}// Keeps the shell and, for whoever may have it, the table of a game without a network: no page of anybody.
// Everything is asked of the server; only where no page can be had one of these two is shown.
const CACHE = "shell-{{ version }}";
const OFFLINE = "{{ offline }}";
const TABLE = "{{ table }}" || OFFLINE; // in place of the first page
const SHELL = [{% for file in shell %}"{{ file }}", {% endfor %}OFFLINE];

// Without cookies: what is kept cannot be somebody's page. All of it, or the old version stays.
self.addEventListener("install", (event) => {
  const asked = [...new Set([...SHELL, TABLE])].map((file) => new Request(file, { credentials: "omit", cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(asked)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("shell-") && name !== CACHE;
  const gone = caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))));
  event.waitUntil(gone.then(() => self.clients.claim()));
});

// A page comes from the network or is the offline page; its own files come from the same cache.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    const instead = new URL(request.url).pathname === "{% url 'play' %}" ? TABLE : OFFLINE;
    const answer = fetch(request);
    event.respondWith(answer.catch(() => kept(instead)));
    event.waitUntil(answer.then(handIn, () => {}));
  } else if (SHELL.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => kept(request)));
  }
});

// What was played without a network, in the order in which it was; what is refused now is kept.
self.addEventListener("message", (event) => event.waitUntil(handIn()));
let handing = false;

async function handIn() {
  if (handing) return;
  handing = true;
  await handInAll().catch(() => {});
  handing = false;
}

async function handInAll() {
  const over = (await games("readonly", (all) => all.getAll())).filter(({ ended }) => ended);
  if (!over.length) return;
  const { token } = await (await fetch("{% url 'offline_games' %}")).json();
  for (const { name, text, total, began, ended } of over.sort((one, other) => one.ended - other.ended)) {
    const body = new URLSearchParams({ name, text, total, began, ended });
    const answer = await fetch("{% url 'offline_games' %}", { method: "POST", headers: { "X-CSRFToken": token }, body });
    if (answer.ok) await games("readwrite", (all) => all.delete(name));
  }
}

function games(mode, ask) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("offline", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("games", { keyPath: "name" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const deal = opening.result.transaction("games", mode);
      const told = ask(deal.objectStore("games"));
      deal.oncomplete = () => (opening.result.close(), resolve(told.result));
      deal.onerror = deal.onabort = () => (opening.result.close(), reject(deal.error));
    };
  });
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreVary: true })) ?? Response.error();
}

// A push says nothing of anybody; what there is to say is asked of the site. Whoever looks at it sees.
self.addEventListener("push", (event) => event.waitUntil(remind()));

async function remind() {
  const pages = await self.clients.matchAll({ type: "window" });
  if (pages.some(({ focused }) => focused)) return;
  const answer = await fetch("{% url 'reminders' %}").catch(() => null);
  const { title, body, address } = answer?.ok ? await answer.json() : { title: "{% translate 'It is your turn' %}", address: "{% url 'duels' %}" };
  await self.registration.showNotification(title, { body, icon: "{{ icon }}", tag: "turn", data: address });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data, self.location.origin).href));
});

async function show(address) {
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find(({ url }) => url === address);
  return page ? page.focus() : self.clients.openWindow(address);
}
