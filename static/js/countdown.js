// To the next day's dice: the page says it, and this counts on.
const place = document.querySelector("[data-countdown]");

function tell() {
  const { countdown, pattern } = place.dataset;
  const minutes = Math.max(0, Math.ceil((new Date(countdown) - Date.now()) / 60_000));
  const text = pattern.replace("%(hours)s", Math.floor(minutes / 60)).replace("%(minutes)s", minutes % 60);
  if (text !== place.textContent) place.textContent = text;
}

if (place) setInterval(tell, 5_000);
