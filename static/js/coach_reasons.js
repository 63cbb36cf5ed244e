// The reasons for an option: facts about a decision, calculated only from values, as in game/coach/reasons.py. The
// table of game/core/words/coach.json chooses the sentences for these facts.

import { inOrder } from "./pocket.js";

const sum = (all) => all.reduce((total, one) => total + one, 0);

// Without `chosen`, the player has not decided yet. `ends` returns the boxes in which a turn may end after a hold.
export async function whyItWas(speech, { position, options, chosen: done }, ends) {
  const { limits } = speech.table;
  const { goal, boxes, dice } = speech.facts;
  const tense = done ? (done.best ? "found" : "missed") : "before";
  const first = done?.best ? done : options[0];
  const chosen = done && !done.best ? done : null;
  const holdsAll = first.action === "hold" && first.dice.length === dice;
  // Compared with a box, holding all dice means filling that box later.
  const box = holdsAll && chosen?.action === "score" && options.find((one) => one.best && one.action === "score");
  const best = box || first;
  const stops = holdsAll && best.action === "hold";
  const others = options.filter((one) => one !== first && (one.action === "hold" || !holdsAll));
  const looksBetter = (one) => best.action === "score" && one.action === "score" && one.points > best.points;
  const costly = others.filter(({ regret }) => regret >= limits.noticeable);
  const [tempting] = costly.filter(looksBetter).sort((one, other) => other.points - one.points);
  const nearest = chosen ?? others[0] ?? first;
  const rival = chosen ?? tempting ?? costly[0] ?? nearest;
  const upper = position.upper + best.points - (best.chip ?? 0);
  const aims = best.action === "hold" && !stops && best.dice.length > 0;
  return speech.said("why", {
    ...{ tense, best, rival, stops, nearest, saved: 0 },
    options: options.length,
    open: boxes.length - position.filled.length,
    better: rival.regret >= limits.noticeable && looksBetter(rival),
    more: rival.points - best.points,
    fewer: best.value - best.points - (rival.value - rival.points),
    most_points: Math.max(...options.map((one) => one.points)),
    secures: Boolean(speech.boxes.get(best.category)?.upper) && position.upper < goal && upper >= goal,
    aim: aims ? aimAmong(await ends(position, best.dice), limits) : null,
  });
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
