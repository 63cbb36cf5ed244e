// Share: the device's share sheet, else the clipboard, else (plain http) a field to copy from.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("[data-share][data-done]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { share, clipboard } = navigator;
  const { text, done } = link.dataset;
  const url = new URL(link.dataset.share || link.href, location.href).href;
  try {
    if (link.form?.nickname.value && !(await named(link.form))) return link.form.submit();
    if (share) await navigator.share({ text, url });
    else if (clipboard) await clipboard.writeText(`${text} ${url}`);
    else select(link, url);
    if (!share && clipboard) link.textContent = done;
  } catch (error) {
    if (error.name !== "AbortError") select(link, url);
  }
});

// Save the player's name; a refused name is explained by the page that the form leads to.
const named = async (form) => (await fetch(form.action, { method: "POST", body: new FormData(form) })).redirected;

function select(link, url) {
  const { nextElementSibling: old, parentElement, textContent, dataset } = link;
  const field = old?.matches("[data-shared]") ? old : document.createElement("input");
  Object.assign(field, { value: `${dataset.text} ${url}`, readOnly: true, ariaLabel: textContent.trim() });
  field.dataset.shared = "";
  if (!field.isConnected) parentElement.insertBefore(field, link.nextSibling);
  field.select();
  if (document.execCommand("copy")) link.textContent = dataset.done;
}
