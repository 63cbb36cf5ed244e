// The sockets of a page. The server sends a heartbeat each second. If none comes for two seconds, the page shows that
// it is not connected, until it has received what it missed.

const PATIENCE = 1800; // ms without a heartbeat until the page shows that it is not connected
const GIVEN_UP = 4000; // ms until the page tries another socket; the server may be busy for a moment
const OPENING = 5000;
const SHOWING = 15000; // ms; the server waits 10 s for its database, and then closes
const PAUSES = [250, 500, 1000, 2000, 3000]; // ms between tries, each shortened at random so that not all pages return at once
const FOR_GOOD = [1008, 4403, 4404]; // close codes after which the page does not try again

const connections = new Set();

// The part of WebSocket's interface that htmx uses.
class Connection extends EventTarget {
  OPEN = WebSocket.OPEN;
  tries = 0;

  constructor(address) {
    super();
    this.address = `${address}${address.includes("?") ? "&" : "?"}signs=1`;
    this.heard = performance.now();
    connections.add(this);
    this.open();
  }

  get readyState() {
    return this.socket.readyState;
  }

  get silence() {
    return performance.now() - this.heard;
  }

  open() {
    clearTimeout(this.next);
    this.begun = performance.now();
    this.shown = false;
    const socket = (this.socket = new WebSocket(this.address));
    socket.onopen = (event) => this.onopen?.(event);
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = (event) => this.closed(event);
  }

  // A heartbeat is an empty message. The first one comes after everything that the server has to show.
  hear(data) {
    const isFirst = !this.shown;
    this.heard = performance.now();
    this.shown = true;
    this.tries = 0;
    if (data) this.dispatchEvent(new MessageEvent("message", { data }));
    look();
    if (isFirst) document.dispatchEvent(new CustomEvent("yatzy:connected"));
  }

  closed(event) {
    if (FOR_GOOD.includes(event.code)) {
      connections.delete(this);
      this.onclose?.(event);
      return look();
    }
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
    this.tries += 1;
    this.next = setTimeout(() => this.open(), pause * (0.5 + Math.random() / 2));
  }

  // Ignores a socket from now on, because closing it may take long without a connection.
  leave() {
    const { socket } = this;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  again() {
    this.leave();
    this.open();
  }

  // Returns whether this socket has waited too long.
  get spent() {
    const age = performance.now() - this.begun;
    if (this.readyState === WebSocket.CONNECTING) return age > OPENING;
    if (this.readyState !== WebSocket.OPEN) return false; // a new socket has its own limit
    return this.shown ? this.silence > GIVEN_UP : age > SHOWING;
  }

  close() {
    clearTimeout(this.next);
    connections.delete(this);
    this.leave();
  }
}

function look() {
  for (const connection of connections) if (connection.spent) connection.again();
  tell([...connections].some(({ silence }) => silence > PATIENCE));
}
setInterval(look, 100);

// The page's live region (play.js), or else this line, reads the text aloud once; a tray shows it (play.css).
let gone = false;

function tell(late) {
  if (late === gone) return;
  gone = late;
  const line = document.getElementById("connection");
  const page = document.documentElement;
  const words = document.querySelector("[data-ticking]") ? line.dataset.clocks : line.dataset.gone;
  line.textContent = gone ? words : "";
  if (gone) document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event: "connection", says: words } }));
  page.toggleAttribute("data-unconnected", gone);
  page.style.setProperty("--unconnected", JSON.stringify(line.textContent));
}

// The connection is back, or the page is visible again: try at once.
function atOnce() {
  for (const connection of connections) {
    if (connection.readyState !== WebSocket.OPEN || connection.silence > PATIENCE) connection.again();
  }
  look();
}
addEventListener("online", atOnce);
document.addEventListener("visibilitychange", atOnce);

htmx.createWebSocket = (address) => new Connection(address);
// The page of a game exists before this script, so its socket begins here (pages/_play.html).
for (const place of document.querySelectorAll("[ws-connect]:not([hx-ext])")) {
  place.setAttribute("hx-ext", "ws");
  if (document.readyState === "complete") htmx.process(place);
}
