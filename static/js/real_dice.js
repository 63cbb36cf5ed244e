// Real dice: typed digits go to the field, wherever the focus is. The last digit sends the roll.

const field = (form) => form.querySelector('[name="faces"]');
const dice = (form) => Number(form.dataset.faces); // dice per roll
const entry = () => document.querySelector("form#dice[data-faces]");

function put(form, text) {
  const input = field(form);
  input.value = text.replace(/[^1-6]/g, "").slice(0, dice(form));
  if (form === entry() && input.value.length === dice(form)) form.requestSubmit();
}

document.addEventListener("click", ({ target }) => {
  const key = target.closest?.("[data-face]");
  const form = key?.closest("form");
  if (form) put(form, field(form).value + key.dataset.face);
});

document.addEventListener("input", ({ target }) => {
  const form = target.closest?.("form[data-faces]");
  if (form && target === field(form)) put(form, target.value);
});

document.addEventListener("keydown", (event) => {
  const form = entry();
  const elsewhere = event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]");
  if (!form || elsewhere || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (/^[1-6]$/.test(event.key)) put(form, field(form).value + event.key);
  else if (event.key === "Backspace") field(form).value = field(form).value.slice(0, -1);
  else return;
  event.preventDefault();
});
