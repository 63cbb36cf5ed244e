// Keeps the face that most dice show; at the end takes the box that brings the most.
const readline = require("node:readline");

function choose({ position, options }) {
  const { dice, rolls_left: rollsLeft } = position;
  const count = (face) => dice.filter((die) => die === face).length;
  if (rollsLeft && new Set(dice).size > 1) {
    const face = dice.reduce((best, die) => (count(die) >= count(best) ? die : best));
    return { action: "hold", dice: dice.filter((die) => die === face) };
  }
  const boxes = Object.keys(options);
  return { action: "score", category: boxes.reduce((a, b) => (options[b] > options[a] ? b : a)) };
}

function answer(message) {
  if (message.type === "hello") return { name: "Most of a face", batch: true };
  if (message.type === "new" || message.type === "end") return { ok: true };
  if (message.type === "act" && message.questions) return { answers: message.questions.map(choose) };
  if (message.type === "act") return choose(message);
  if (message.type === "error") throw message.message;
  return { error: "unknown type" };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let reply;
  try {
    reply = answer(JSON.parse(line));
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem;
    reply = { error: String(problem) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
});
