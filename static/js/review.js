// A review: arrow keys, the graph and the list lead to a decision, which replaces the last one.

const WALKS = { ArrowLeft: "previous", ArrowRight: "next", p: "previous-mistake", n: "next-mistake", l: "learn" };
const step = () => document.getElementById("step");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input, textarea, select")) return;
  const way = document.getElementById(WALKS[event.key]);
  if (!way) return;
  event.preventDefault();
  if (way.matches("a")) way.click();
});

// Loads all decisions at once, after the first one: further steps need no request.
const fetched = new Map();

async function fetchAll() {
  const answer = await fetch(document.getElementById("main").dataset.steps);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const template of page.querySelectorAll("template")) fetched.set(template.dataset.step, template);
}
if (step()) fetchAll().catch(() => {}); // without all decisions, every step is a request

const numberOf = (address) => new URL(address, location.href).searchParams.get("step");

// Shows the decision if it is loaded; returns whether it is.
function show(address, replace) {
  const template = fetched.get(numberOf(address));
  if (!template) return false;
  const id = document.activeElement.id;
  step().replaceWith(template.content.cloneNode(true));
  htmx.process(step());
  document.getElementById(id)?.focus({ preventScroll: true });
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  shown();
  return true;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-at], a.walk__to");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const address = link.getAttribute("href");
  const walks = link.matches(".walk__to");
  const done = show(address, walks && !link.matches(".walk__to--jump"));
  if (done || !walks) event.preventDefault();
  if (done) event.stopImmediatePropagation(); // htmx would request it
  else if (!walks) htmx.ajax("GET", address, { target: "#step", swap: "outerHTML", push: address });
  if (link.matches(".decided__one")) document.getElementById("body").scrollIntoView({ block: "start" });
}, true);

addEventListener("popstate", () => {
  const template = fetched.get(numberOf(location.href));
  if (!template) return location.reload();
  step().replaceWith(template.content.cloneNode(true));
  htmx.process(step());
  shown();
});

// The graph stays; its ring moves to the shown decision.
function mark() {
  const at = Number(step().dataset.at);
  const column = [...document.querySelectorAll(".chart-column")].find(({ dataset }) => Number(dataset.at) === at);
  if (!column) return;
  const { x, y } = column.dataset;
  const [line, ring] = document.querySelector(".chart-here").children;
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  ring.setAttribute("cx", x);
  ring.setAttribute("cy", y);
  for (const one of document.querySelectorAll(".decided__one")) {
    if (Number(one.dataset.at) === at) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
}

function shown() {
  mark();
  document.getElementById("announce").textContent = JSON.parse(step().dataset.event).says;
}

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "step") shown();
});
