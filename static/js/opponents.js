// Shows the chosen opponent's name on the button. The slider chooses its bot, and shows its number of points.
const words = document.querySelector("#challenge [data-play]");

function tell() {
  const chosen = document.querySelector("[name=opponent]:checked");
  if (chosen) words.textContent = chosen.dataset.play;
}

document.addEventListener("input", ({ target }) => {
  if (target.name !== "points_lost") return;
  target.previousElementSibling.textContent = target.value;
  document.querySelector("[name=opponent][value=erring]").checked = true;
  tell();
});
document.addEventListener("change", tell);
addEventListener("pageshow", tell); // after "back" the browser restores the choice
