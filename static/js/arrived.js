// Counts anyone who looks at a page of the open link, once it is really shown: a number, and nobody.
const { arrived, address, token } = document.querySelector("script[data-arrived]").dataset;

function tell() {
  const form = new FormData();
  form.set("what", arrived);
  form.set("csrfmiddlewaretoken", token);
  navigator.sendBeacon?.(address, form);
}

if (document.prerendering) document.addEventListener("prerenderingchange", tell, { once: true });
else tell();
