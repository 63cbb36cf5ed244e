// A review: arrow keys, the graph and the list all lead to a decision, which takes the last one's place.

const WALKS = { ArrowLeft: "previous", ArrowRight: "next", p: "previous-mistake", n: "next-mistake", l: "learn" };
const step = () => document.getElementById("step");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input, textarea, select")) return;
  if (event.key === "?") document.getElementById("keys").showModal();
  const way = document.getElementById(WALKS[event.key]);
  if (!way) return;
  event.preventDefault();
  if (way.matches("a")) way.click();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest?.("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog).showModal();
  const link = event.target.closest?.("a[data-at]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const address = link.getAttribute("href");
  htmx.ajax("GET", address, { target: "#step", swap: "outerHTML", push: address });
  if (link.matches(".decided__one")) document.getElementById("body").scrollIntoView({ block: "start" });
});

// The graph stays as it is; its ring moves to the decision that is shown.
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

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "step") return;
  mark();
  document.getElementById("announce").textContent = step().dataset.say;
});
