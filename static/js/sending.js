// A move that the server does not answer is sent again by itself.
// It carries the number of decisions that its page had seen, a start its ticket: what comes twice is done once.

const SOON = 1800; // ms; what takes as long, and was begun before the connection was back, is lost
const AGAIN = 3000;
const QUICK = 6; // tries that are hardly waited for: a browser may have as many dead connections at hand
const HARDLY = 1000;
const COUNTED = "#hint"; // each is one more

let move = null; // what was sent last, until it is answered

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
  if (move.words === words) return; // read aloud once, however often it is sent
  move.words = words;
  document.getElementById("status").textContent = words;
  document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event: "connection", says: words, anew: true } }));
}

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.xhr !== move?.xhr) return;
  clearTimeout(move.next);
  if (detail.xhr.status) move = null; // answered, be it by a refusal
});

// Before play.js hears of it (while the event is on its way down), which would ask for another press.
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

// The board stays as it was pressed: dice stay held, and another press meanwhile is answered in words.
function keep() {
  document.getElementById("board").dataset.pending = "";
  (move.submitter ?? move.element).setAttribute("data-waiting", "");
}

// Where the board has moved on meanwhile, it was done: a button that is not there any more sends nothing.
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

// What was under way when the network went may never be answered.
function atOnce() {
  if (!move || !(move.failed || performance.now() - move.sent > SOON)) return;
  move.tries = 1;
  afresh();
}
document.addEventListener("yatzy:connected", atOnce);
addEventListener("online", atOnce);
