// Counts a visit to a page of the open link, once the page is visible. Only the number is stored.
const { arrived, address, token } = document.querySelector("script[data-arrived]").dataset;

function tell() {
  const form = new FormData();
  form.set("what", arrived);
  form.set("csrfmiddlewaretoken", token);
  navigator.sendBeacon?.(address, form);
}

if (document.prerendering) document.addEventListener("prerenderingchange", tell, { once: true });
else tell();
