// What this browser keeps, each kind on a shelf of its own: games that are played without a network, and
// values that were solved here. For pages, their workers and the service worker, whichever script they are.
const SHELVES = { games: ["offline", { keyPath: "name" }], values: ["pocket"] };

// What `ask` is answered, once all that it does is kept.
globalThis.shelf = (name, mode, ask) =>
  new Promise((resolve, reject) => {
    const [database, how] = SHELVES[name];
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(name, how);
    opening.onerror = opening.onblocked = () => reject(opening.error);
    opening.onsuccess = () => {
      const failed = (error) => (opening.result.close(), reject(error));
      try {
        const deal = opening.result.transaction(name, mode);
        const asked = ask(deal.objectStore(name));
        deal.oncomplete = () => (opening.result.close(), resolve(asked.result));
        deal.onerror = deal.onabort = () => failed(deal.error);
      } catch (error) {
        failed(error);
      }
    };
  });

// A word that this browser keeps, set if it is given; null where the browser keeps none.
globalThis.noted = (key, word) => {
  try {
    if (word !== undefined) localStorage.setItem(key, word);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

// The server is told by a cookie whether anything was solved here: a page of it then brings hint_here.js.
globalThis.solvedHere = async () => {
  const found = await shelf("values", "readonly", (all) => all.count());
  document.cookie = `solved=1;path=/;max-age=${found ? 31536000 : 0};samesite=lax`;
};
