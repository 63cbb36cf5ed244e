// Sends a move again if the server does not answer. A move has the number of decisions that its page knew, and a start
// has a ticket, so the server carries out a repeated request only once.

const SOON = 1800; // ms; when the connection returns, an older request is lost
const AGAIN = 3000;
const QUICK = 6; // tries with hardly a pause, because a browser may hold this many dead connections
const HARDLY = 1000;
const COUNTED = "#hint"; // each request counts as a hint

let move = null; // the last sent move, until it is answered

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  const { elt: element, requestConfig, xhr } = detail;
  if (requestConfig.verb !== "post" || !element.closest("#board") || element.matches(COUNTED)) return;
  clearTimeout(move?.next);
  const submitter = requestConfig.triggeringEvent?.submitter;
  const { words, tries } = move?.element === element ? move : { words: "", tries: 0 };
  move = { element, submitter, xhr, words, tries: tries + 1, sent: performance.now() };
  if (tries && tries <= QUICK) move.next = setTimeout(afresh, HARDLY);
});

function say(words) {
  if (move.words === words) return; // the text is read aloud once, however often the move is sent
  move.words = words;
  document.getElementById("status").textContent = words;
  document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event: "connection", says: words, anew: true } }));
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.xhr !== move?.xhr) return;
  clearTimeout(move.next);
  if (detail.xhr.status) move = null; // answered, or refused
});

// Runs before play.js gets the event (in the capture phase), which would ask for another press.
function unanswered(event) {
  if (!move || event.detail.xhr !== move.xhr) return;
  event.stopImmediatePropagation();
  keep();
  move.failed = true;
  say(document.getElementById("connection").dataset.again);
  move.next = setTimeout(again, AGAIN);
}
document.addEventListener("htmx:sendError", unanswered, true);
document.addEventListener("htmx:timeout", unanswered, true);

// The board stays as the player left it: held dice stay held, and another press gets a text.
function keep() {
  document.getElementById("board").dataset.pending = "";
  (move.submitter ?? move.element).setAttribute("data-waiting", "");
}

// If the board shows a later move, the server has made this one: its button is gone and sends nothing.
function again() {
  clearTimeout(move.next);
  const { element, submitter } = move;
  delete document.getElementById("board").dataset.pending;
  if (element.matches("form")) element.requestSubmit(submitter);
  else element.click();
}

function afresh() {
  move.xhr.abort();
  again();
}

// Requests from before the connection was lost may never be answered.
function atOnce() {
  if (!move || !(move.failed || performance.now() - move.sent > SOON)) return;
  move.tries = 1;
  afresh();
}
document.addEventListener("yatzy:connected", atOnce);
addEventListener("online", atOnce);
