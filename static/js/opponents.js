// The button names the chosen opponent.
const words = document.querySelector("#challenge [data-play]");

function tell() {
  const chosen = document.querySelector("[name=opponent]:checked");
  if (chosen) words.textContent = chosen.dataset.play;
}

document.addEventListener("change", tell);
addEventListener("pageshow", tell); // after "back" the browser restores the choice
