// Share: the device's own sheet, else the clipboard; where there is neither, the link leads there.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("[data-share][data-done]");
  const { share, clipboard } = navigator;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !(share || clipboard)) return;
  event.preventDefault();
  const { text, done } = link.dataset;
  try {
    if (share) await navigator.share({ text, url: link.href });
    else await clipboard.writeText(`${text} ${link.href}`);
    if (!share) link.textContent = done;
  } catch (error) {
    if (error.name !== "AbortError") location.href = link.href;
  }
});
