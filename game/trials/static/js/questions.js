// Adds a slider to the number field of a question with a scale. If the player does not touch it, it gives no answer.
for (const field of document.querySelectorAll("[data-slider]")) {
  const number = field.querySelector(".entry");
  const range = document.createElement("input");
  range.type = "range";
  range.min = field.dataset.least;
  range.max = field.dataset.most;
  range.step = field.dataset.step;
  range.setAttribute("aria-labelledby", `${number.id}-label`);
  const follow = () => {
    const typed = number.value.trim().replace(",", ".");
    range.classList.toggle("untouched", typed === "");
    if (typed !== "" && Number.isFinite(Number(typed))) range.value = typed;
  };
  const answer = () => {
    number.value = range.value;
    follow();
  };
  range.addEventListener("input", answer);
  range.addEventListener("click", answer); // a press in the middle counts as an answer
  number.addEventListener("input", follow);
  number.before(range);
  follow();
}
