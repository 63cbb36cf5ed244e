// Share: the device's share sheet, else the clipboard, else (plain http) a field to copy from.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("[data-share][data-done]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { share, clipboard } = navigator;
  const { text, done } = link.dataset;
  try {
    if (share) await navigator.share({ text, url: link.href });
    else if (clipboard) await clipboard.writeText(`${text} ${link.href}`);
    else select(link);
    if (!share && clipboard) link.textContent = done;
  } catch (error) {
    if (error.name !== "AbortError") select(link);
  }
});

function select(link) {
  const { nextElementSibling: old, parentElement, textContent, dataset, href } = link;
  const field = old?.matches("[data-shared]") ? old : document.createElement("input");
  Object.assign(field, { value: `${dataset.text} ${href}`, readOnly: true, ariaLabel: textContent.trim() });
  field.dataset.shared = "";
  if (!field.isConnected) parentElement.insertBefore(field, link.nextSibling);
  field.select();
  if (document.execCommand("copy")) link.textContent = dataset.done;
}
