// The switch for reminders on this device, which only a script can offer.
const place = document.getElementById("reminders");
const { key, keep, stop, token } = place.dataset;
const [on, off, said] = ["on", "off", "said"].map((part) => place.querySelector(`[data-part="${part}"]`));

function bytes(coded) {
  const plain = atob(coded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

const coded = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// An answer that does not come from this site has no text for the reader.
async function tell(address, { endpoint }) {
  const body = new URLSearchParams({ endpoint, csrfmiddlewaretoken: token });
  const answer = await fetch(address, { method: "POST", body });
  if (answer.ok) return;
  const words = answer.headers.get("Content-Type")?.startsWith("text/plain") ? await answer.text() : "";
  throw new Error(words, { cause: answer.status });
}

function show(subscribed, words = "") {
  const moved = place.contains(document.activeElement);
  on.hidden = subscribed;
  off.hidden = !subscribed;
  said.textContent = words || (subscribed ? said.dataset.kept : "");
  if (moved) (subscribed ? off : on).focus();
}

async function subscribe(pushes) {
  if ((await Notification.requestPermission()) !== "granted") return show(false, said.dataset.denied);
  const subscription = await pushes.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  try {
    await tell(keep, subscription);
  } catch (refusal) {
    await subscription.unsubscribe();
    throw refusal;
  }
  show(true);
}

async function unsubscribe(pushes) {
  const subscription = await pushes.getSubscription();
  if (subscription) await Promise.all([tell(stop, subscription), subscription.unsubscribe()]);
  show(false);
}

async function begin() {
  const { pushManager } = await navigator.serviceWorker.ready;
  const tried = (work) => () => work(pushManager).catch((error) => show(!off.hidden, (error.cause && error.message) || said.dataset.failed));
  on.addEventListener("click", tried(subscribe));
  off.addEventListener("click", tried(unsubscribe));
  const kept = await pushManager.getSubscription();
  // The site has a new key: subscriptions under the old one no longer work.
  const old = kept && coded(kept.options.applicationServerKey) !== key;
  if (old) await kept.unsubscribe();
  show(Boolean(kept) && !old);
  place.hidden = false;
}

if ("serviceWorker" in navigator && "PushManager" in window) begin();
