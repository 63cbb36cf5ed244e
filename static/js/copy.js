// Copy buttons: data-copy holds an address, data-copy-from the id of a field.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy], [data-copy-from]");
  if (!button) return;
  const { copy, copyFrom, done } = button.dataset;
  const text = copy ? new URL(copy, location.href).href : document.getElementById(copyFrom).value;
  await navigator.clipboard.writeText(text);
  button.textContent = done;
});
