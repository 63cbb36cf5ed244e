// Tells the server in whose time to speak, and lets a device keep the shell of the site: only https
// and this machine itself offer that.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone) document.cookie = `zone=${timeZone};path=/;max-age=31536000;samesite=lax`;

const { worker } = document.querySelector("script[data-worker]")?.dataset ?? {};
if (worker && "serviceWorker" in navigator) {
  addEventListener("load", () => navigator.serviceWorker.register(worker).catch(() => {}));
}
