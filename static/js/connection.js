// The sockets of a page. A working server sends a sign of life each second. Without one for two seconds, the page
// shows that it is not connected and tries again; it removes the message when it has received what it missed.

const PATIENCE = 1800; // ms without a sign of life until the page shows that it is not connected
const GIVEN_UP = 4000; // ms until another socket is tried; a server that is busy for a moment keeps this one
const OPENING = 5000;
const SHOWING = 15000; // ms; the server waits 10 s for its database, and then closes
const PAUSES = [250, 500, 1000, 2000, 3000]; // ms between tries, each shortened at random so that pages do not return all at once
const FOR_GOOD = [1008, 4403, 4404]; // close codes: nothing is there, or the viewer may not see it

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

  // A sign of life is empty. The first one comes after everything that the server has to show.
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

  // Ignores a socket from now on: closing it may take as long as the connection is away.
  leave() {
    const { socket } = this;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  again() {
    this.leave();
    this.open();
  }

  // Whether this socket has used up its time.
  get spent() {
    const age = performance.now() - this.begun;
    if (this.readyState === WebSocket.CONNECTING) return age > OPENING;
    if (this.readyState !== WebSocket.OPEN) return false; // the next try has a separate limit
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

// The page's live region (play.js) reads the text once, or else this line; on a tray, play.css draws it.
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
// A game page exists before this script, which makes its socket (pages/_play.html).
for (const place of document.querySelectorAll("[ws-connect]:not([hx-ext])")) {
  place.setAttribute("hx-ext", "ws");
  if (document.readyState === "complete") htmx.process(place);
}
