// The connection of a page that is shown what changes: its sockets, whatever page it is. A server that is there
// gives a sign each second; without one the page says within two that it is not connected, tries again by itself,
// and takes that back when it was shown what it had missed.

const PATIENCE = 1800; // ms without a sign until that is said
const GIVEN_UP = 4000; // and until another socket is tried: a server that is busy for a moment keeps this one
const OPENING = 5000;
const SHOWING = 15000; // the server itself waits for its database for 10 s, and closes then
const PAUSES = [250, 500, 1000, 2000, 3000]; // between two tries; each page a little earlier, not all at once
const FOR_GOOD = [1008, 4403, 4404]; // nothing is there, or it is not to be seen

const connections = new Set();

// What htmx takes for one socket that never breaks.
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

  // A sign of life is empty; the first comes after all there was to show.
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

  // Of a socket that is left nothing is heard any more: to close it may take as long as the network is away.
  leave() {
    const { socket } = this;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  again() {
    this.leave();
    this.open();
  }

  // Whether this socket has had its time.
  get spent() {
    const age = performance.now() - this.begun;
    if (this.readyState === WebSocket.CONNECTING) return age > OPENING;
    if (this.readyState !== WebSocket.OPEN) return false; // its next try has a time of its own
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

// Said once, by the page's live region (play.js) or, without one, by the line itself; where the page has a tray the line is drawn there (play.css).
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

// The network is back, or somebody looks at the page again: nobody waits for the next try.
function atOnce() {
  for (const connection of connections) {
    if (connection.readyState !== WebSocket.OPEN || connection.silence > PATIENCE) connection.again();
  }
  look();
}
addEventListener("online", atOnce);
document.addEventListener("visibilitychange", atOnce);

htmx.createWebSocket = (address) => new Connection(address);
// A game that begins on its page is there before this script, which makes its socket (pages/_play.html).
for (const place of document.querySelectorAll("[ws-connect]:not([hx-ext])")) {
  place.setAttribute("hx-ext", "ws");
  if (document.readyState === "complete") htmx.process(place);
}
