// Copy buttons: data-copy holds an address, data-copy-from the id of a field.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy], [data-copy-from]");
  if (!button) return;
  const { copy, copyFrom, done } = button.dataset;
  const text = copy ? new URL(copy, location.href).href : document.getElementById(copyFrom).value;
  if (await copied(text, button)) button.textContent = done;
});

// Plain http has no clipboard, and a browser may forbid it: then try execCommand, then show a field.
async function copied(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text, button);
  }
}

function copiedFromField(text, button) {
  const field = shown(text, button);
  field.select();
  const done = document.execCommand("copy");
  if (!button.dataset.copyFrom && done) field.remove();
  if (done) button.focus();
  return done;
}

function shown(text, { dataset, nextElementSibling, textContent, parentElement }) {
  if (dataset.copyFrom) return document.getElementById(dataset.copyFrom);
  const old = nextElementSibling?.matches("[data-copied]") ? nextElementSibling : null;
  const field = old ?? document.createElement("input");
  Object.assign(field, { value: text, readOnly: true, ariaLabel: textContent.trim() });
  field.dataset.copied = "";
  if (!old) parentElement.append(field);
  return field;
}
