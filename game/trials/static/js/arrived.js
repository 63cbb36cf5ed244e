// Counts a visit to a trial's open link when the page becomes visible. The server stores only the number.
const { arrived, address, token } = document.querySelector("script[data-arrived]").dataset;

function tell() {
  const form = new FormData();
  form.set("what", arrived);
  form.set("csrfmiddlewaretoken", token);
  navigator.sendBeacon?.(address, form);
}

if (document.prerendering) document.addEventListener("prerenderingchange", tell, { once: true });
else tell();
