// The reasons for an option: facts about a decision, calculated only from values, as in game/coach/reasons.py. The
// table of game/core/words/coach.json chooses the sentences for these facts.

import { inOrder } from "./pocket.js";

const sum = (all) => all.reduce((total, one) => total + one, 0);

// Without `chosen`, the player has not decided yet. `ends` returns the boxes in which a turn may end after a hold.
export async function whyItWas(speech, { position, options, chosen: done }, ends) {
  const { limits } = speech.table;
  const tense = done ? (done.best ? "found" : "missed") : "before";
  const first = done?.best ? done : options[0];
  const chosen = done && !done.best ? done : null;
  const holdsAll = first.action === "hold" && first.dice.length === speech.facts.dice;
  // Compared with a box, holding all dice means filling that box later.
  const box = holdsAll && chosen?.action === "score" && options.find((one) => one.best && one.action === "score");
  const best = box || first;
  const stops = holdsAll && best.action === "hold";
  const others = options.filter((one) => one !== first && (one.action === "hold" || !holdsAll));
  const looksBetter = (one) => best.action === "score" && one.action === "score" && one.points > best.points && one.regret >= limits.noticeable;
  const tempting = others.filter(looksBetter);
  const most = Math.max(...tempting.map(({ points }) => points));
  const strongest = tempting.find(({ points }) => points === most); // options are sorted: the first has the highest value
  const rival = chosen ?? strongest ?? others.find(({ regret }) => regret >= limits.noticeable) ?? others[0];
  const { goal, boxes } = speech.facts;
  const upper = best.action === "score" && speech.boxes.get(best.category).upper;
  const points = best.points - (best.chip ?? 0);
  const hold = best.action === "hold" && !stops && best.dice.length > 0;
  const facts = {
    ...{ tense, best, rival, stops, nearest: chosen ?? others[0], saved: 0 },
    options: options.length,
    open: boxes.length - position.filled.length,
    better: Boolean(rival && looksBetter(rival)),
    more: rival && rival.points - best.points,
    fewer: rival && best.value - best.points - (rival.value - rival.points),
    most_points: Math.max(...options.map((one) => one.points)),
    secures: Boolean(upper) && position.upper < goal && position.upper + points >= goal,
    aim: hold ? aimAmong(await ends(position, best.dice), limits) : null,
  };
  return speech.said("why", facts);
}

// ---- The aim of a hold (solver/advice/aims.py) ----

function aimAmong(ends, { tie, always, most, worth_trying: worthTrying }) {
  const won = ends.filter(({ box }) => box);
  if (!won.length) return null;
  const expected = sum(ends.map(({ chance, value }) => chance * value));
  const hoped = won.filter(({ chance, value }) => value > expected - tie && chance >= worthTrying);
  const among = hoped.length ? hoped : won;
  const likeliest = Math.max(...among.map(({ chance }) => chance));
  const [aim] = inOrder(among.filter(({ chance }) => chance > likeliest - tie), ({ value }) => -value, tie);
  const others = inOrder(ends.filter((one) => one !== aim), ({ chance }) => -chance, tie);
  return { ...aim, rest: aim.chance < always ? restOf(others, most + tie) : null };
}

function restOf(others, enough) {
  const whole = sum(others.map(({ chance }) => chance));
  for (const number of [1, 2]) {
    const named = others.slice(0, number);
    const share = sum(named.map(({ chance }) => chance)) / whole;
    if (share > enough) return { boxes: named.map(({ box }) => box), share };
  }
  return { boxes: [], share: 0 };
}
