// The storage of this browser. It has a store ("shelf") for each kind of data: games played without a connection, and
// values solved here. Pages, their workers and the service worker use it.
const SHELVES = { games: ["offline", { keyPath: "name" }], values: ["pocket"] };

// Returns the answer to `ask` once all its changes are stored.
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

// Returns a stored word, or null if there is none. If a new word is given, it is stored.
globalThis.noted = (key, word) => {
  try {
    if (word !== undefined) localStorage.setItem(key, word);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

// A cookie tells the server that something is solved here: its pages then include hint_here.js.
globalThis.solvedHere = async () => {
  const found = await shelf("values", "readonly", (all) => all.count());
  document.cookie = `solved=1;path=/;max-age=${found ? 31536000 : 0};samesite=lax`;
};
