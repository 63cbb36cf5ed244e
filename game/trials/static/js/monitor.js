// Reads the trial again every ten seconds, but not while the page is hidden.
const line = document.getElementById("connection");

function look() {
  if (document.visibilityState === "visible") htmx.trigger("#monitor", "look");
}

document.addEventListener("visibilitychange", look);
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  line.textContent = detail.successful ? "" : line.dataset.gone;
});
// The researcher is signed out, or has a role in this trial no longer: the whole page says so.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { status, responseURL } = detail.xhr;
  if (status === 403 || new URL(responseURL).pathname !== location.pathname) location.reload();
});
setInterval(look, 10_000);
