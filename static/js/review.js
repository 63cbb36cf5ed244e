// Arrow keys step through the decisions of a review.

const STEPS = { ArrowLeft: "previous", ArrowRight: "next" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const link = document.getElementById(STEPS[event.key]);
  if (!link) return;
  event.preventDefault();
  link.click();
});
