// The button says whom one is about to play.
const words = document.querySelector("#challenge [data-play]");

function tell() {
  const chosen = document.querySelector("[name=opponent]:checked");
  if (chosen) words.textContent = chosen.dataset.play;
}

document.addEventListener("change", tell);
addEventListener("pageshow", tell); // a browser that comes back remembers what was chosen
