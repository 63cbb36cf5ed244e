// Describes a finished game, as the server does without the distribution of perfect games (game/pages/board/ending.py,
// story.py): the equation, a headline, sentences, and the costliest moves. The texts come in the reader's language, as
// in coach_says.js.

const [WIDEST, AIR] = [1000, 0.06]; // the drawing's width in units, and its margins as a share of it

const sum = (all) => all.reduce((total, one) => total + one, 0);

// The note that replaces praise and a grade (game/core/counting.py), or "" for a game without help.
const SILENT = [`off`, `after`];
export function helpNote(speech, { coach, hints }, moves) {
  if (SILENT.includes(coach) && !hints) return ``;
  return hints && moves ? speech.say("hinted", { hints: Math.min(hints, moves), moves }) : speech.say("helped");
}

export function told(says, speech, judged, score, note) {
  const lost = says.lostBy(judged);
  const luck = sum(judged.map((entry) => entry.luck));
  const start = score - luck + lost;
  const equation = new says.Equation(speech, start, score, lost);
  const costly = judged.filter(({ regret }) => regret >= speech.words.mistaken);
  return {
    lost,
    values: { ...equation.words, score, ...drawing(speech, start, luck, score), ...graded(says, speech, lost) },
    headline: note || speech.said("headline", { tense: "after", lost: equation.lost / 10, above: score - start }),
    points_lost: pointsLost(says, speech, equation.lost / 10),
    sentences: [turnThatDecided(speech, judged), habit(says, speech, judged)].filter(Boolean),
    squares: squares(speech, judged),
    worst: costly.sort((one, other) => other.regret - one.regret).slice(0, speech.table.limits.costliest_shown),
  };
}

// The grade and the accuracy, from the points lost per decision.
function graded(says, speech, lost) {
  const { grades, last_grade: last } = speech.words;
  if (!says.isMistake(lost)) return { grade: grades[0].name, accuracy: speech.percent(1) };
  const each = lost / speech.facts.decisions;
  const grade = grades.slice(1).find(({ below }) => each < below)?.name ?? last;
  return { grade, accuracy: speech.percent(Math.min(Math.max(0, 1 - each / leastOf(speech, `blunder`)), 1 - 2e-6)) };
}

function drawing(speech, start, luck, score) {
  const places = [start, start + luck, score];
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const half = Math.max(high - low, speech.table.limits.narrowest) * (0.5 + AIR);
  const at = (points) => Math.round((WIDEST * (points - (low + high) / 2 + half)) / (2 * half));
  const [startAt, luckAt, scoreAt] = places.map(at);
  return {
    ...{ start_at: startAt, score_at: scoreAt },
    ...{ luck_x: Math.min(startAt, luckAt), luck_width: Math.abs(startAt - luckAt) },
    ...{ mistakes_x: Math.min(luckAt, scoreAt), mistakes_width: Math.abs(luckAt - scoreAt) },
  };
}

// The total cost of all mistakes.
function pointsLost(says, speech, lost) {
  const facts = { tense: "after", lost, points: Math.max(1, says.rounded(lost)) };
  return speech.unbroken(speech.said("points_lost", facts));
}

const costliest = (judged) => judged.reduce((worst, one) => (one.regret > worst.regret ? one : worst));
const leastOf = (speech, severity) => speech.words.severities.find(({ id }) => id === severity).at_least;

function turnThatDecided(speech, judged) {
  const { regret, turn, label } = costliest(judged);
  if (regret < leastOf(speech, `inaccuracy`)) return null;
  const text = speech.say("turn", { turn, deed: label });
  return { figure: speech.takenOff(regret), title: speech.say("turn_title"), text };
}

// The kind of decision with the highest total cost, apart from the game's costliest decision; also the costliest
// decision of this kind, and the better move.
function habit(says, speech, judged) {
  const worst = costliest(judged);
  const kinds = new Map();
  for (const entry of judged) {
    if (entry.regret < leastOf(speech, `inaccuracy`) || entry === worst) continue;
    const kind = entry.kept ? entry.throw : 0;
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  const costs = (entries) => sum(entries.map(({ regret }) => regret));
  const [kind, entries] = [...kinds].reduce((most, one) => (costs(one[1]) > costs(most[1]) ? one : most), [0, []]);
  const { habit: few, habit_share: share } = speech.table.limits;
  if (entries.length < few || costs(entries) < share * costs(judged)) return null;
  const facts = { count: entries.length, throw: kind };
  const { turn, label, options } = costliest(entries);
  const texts = [
    speech.say(kind ? "habit_holds" : "habit_boxes", facts, entries.length),
    speech.say("turn", { turn, deed: label }),
    `${speech.say("better_move", { option: speech.option(says.toTake(options, speech.facts.dice)) })}.`,
  ];
  return { figure: speech.takenOff(costs(entries)), title: speech.say("habit_title"), text: texts.join(" ") };
}

function squares(speech, judged) {
  const worst = new Map();
  for (const { turn, regret } of judged) worst.set(turn, Math.max(worst.get(turn) ?? 0, regret));
  return [...worst.values()].map((regret) => speech.severity(regret).id);
}
