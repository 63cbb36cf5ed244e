// Counts down to the time in the page, even on a board that is swapped in later.
function tell() {
  for (const place of document.querySelectorAll("[data-countdown]")) {
    const { countdown, pattern } = place.dataset;
    const minutes = Math.max(0, Math.ceil((new Date(countdown) - Date.now()) / 60_000));
    const text = pattern.replace("%(hours)s", Math.floor(minutes / 60)).replace("%(minutes)s", minutes % 60);
    if (text !== place.textContent) place.textContent = text;
  }
}

tell();
setInterval(tell, 1_000);
