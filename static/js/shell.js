// Lets a device keep the shell of the site. Only https and this machine itself offer that.
const { worker } = document.querySelector("script[data-worker]")?.dataset ?? {};
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}
