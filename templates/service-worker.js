{% load i18n %}// Stores the offline pages, with the board for visitors who may play offline, but no page of a player.
// Every page is first requested from the server; an offline page replaces it only without an answer.
importScripts("{{ shelf }}");
const CACHE = "shell-{{ version }}";
const OFFLINE = "{{ offline }}";
const PAGES = { {% for address, page in pages %}"{{ address }}": "{{ page }}", {% endfor %}}; // keys: addresses; values: the offline pages that replace them
const SHELL = [{% for file in shell %}"{{ file }}", {% endfor %}OFFLINE];

// Requests have no cookies, so no stored page belongs to a player. If one request fails, the old version stays.
self.addEventListener("install", (event) => {
  event.waitUntil(fill().then(takeOver));
});

// A new version waits while a page with an unfinished offline turn holds a lock (offline.js).
async function takeOver() {
  const { held } = await navigator.locks.query();
  if (!held.some(({ name }) => name === "turn")) await self.skipWaiting();
}

async function fill() {
  const asked = [...new Set([...SHELL, ...Object.values(PAGES)])].map((file) => new Request(file, { credentials: "omit", cache: "no-cache" }));
  await (await caches.open(CACHE)).addAll(asked);
}

// After a page of the site has loaded: send offline games, and store deleted offline pages again.
async function visited() {
  self.registration.waiting?.postMessage("between turns");
  await handIn();
  if (!(await caches.has(CACHE))) await fill();
}

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("shell-") && name !== CACHE;
  const gone = caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))));
  event.waitUntil(gone.then(() => self.clients.claim()));
});

// A page comes from the network, else from the cache; the files of an offline page are in the same cache.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    const instead = PAGES[new URL(request.url).pathname] ?? OFFLINE;
    const answer = fetch(request);
    event.respondWith(answer.catch(() => kept(instead)));
    event.waitUntil(answer.then(visited, () => {}));
  } else if (SHELL.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => kept(request)));
  }
});

// Offline games are sent in the order in which they ended. A refused game stays with the reason until the player
// deletes it, and is sent again; a game that the server cannot read is only sent if the player asks ("again").
const MAKES_NO_SENSE = 400;
self.addEventListener("message", (event) => {
  event.waitUntil(event.data === "between turns" ? takeOver() : handIn(event.data === "again"));
});
let handing = false;

async function handIn(again) {
  if (handing) return;
  handing = true;
  await handInAll(again).catch(() => {});
  handing = false;
}

async function handInAll(again) {
  const offered = ({ ended, refused }) => ended && (again || refused?.status !== MAKES_NO_SENSE);
  const over = (await shelf("games", "readonly", (all) => all.getAll())).filter(offered);
  if (!over.length) return;
  const first = await fetch("{% url 'offline_games' %}");
  const { token } = await told(first);
  for (const game of over.sort((one, other) => one.ended - other.ended)) {
    const { name, rules, total, began, ended, helped } = game;
    const turns = JSON.stringify(game.turns.map(({ thrown, held, box }) => ({ thrown, held, box })));
    const body = new URLSearchParams({ name, rules, turns, total, began, ended, ...helped });
    const answer = token ? await fetch("{% url 'offline_games' %}", { method: "POST", headers: { "X-CSRFToken": token }, body }) : first;
    const refused = { status: answer.status, ...(await told(answer)) };
    await shelf("games", "readwrite", (all) => {
      if (answer.ok) return all.delete(name);
      const still = all.getKey(name); // the player may have deleted the game meanwhile
      still.onsuccess = () => still.result && all.put({ ...game, refused });
      return still;
    });
  }
  for (const page of await self.clients.matchAll()) page.postMessage("handed in");
}

// An answer that is a page instead of JSON has no facts.
const told = (answer) => answer.json().catch(() => ({}));

async function kept(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreVary: true })) ?? Response.error();
}

// A push contains no text: the worker requests the text from the site, unless a page of the site has the focus.
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
