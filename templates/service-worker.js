{% load i18n %}// Keeps the shell and nothing else: no page, no answer to a form, nothing that names anybody.
// Everything is asked of the server; only where no page can be had the offline page is shown.
const CACHE = "shell-{{ version }}";
const OFFLINE = "{{ offline }}";
const SHELL = [{% for file in shell %}"{{ file }}", {% endfor %}OFFLINE];

// Without cookies: what is kept cannot be somebody's page. All of it, or the old version stays.
self.addEventListener("install", (event) => {
  const asked = SHELL.map((file) => new Request(file, { credentials: "omit", cache: "reload" }));
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
    event.respondWith(fetch(request).catch(() => kept(OFFLINE)));
  } else if (SHELL.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => kept(request)));
  }
});

async function kept(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request)) ?? Response.error();
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
