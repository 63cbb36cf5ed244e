// The story of a finished game, as the server tells it without the distribution of perfect games
// (game/pages/board/ending.py, story.py). The texts come in the reader's language, as in coach_says.js.

const [WIDEST, AIR] = [1000, 0.06]; // of the drawing
const SILENT = [`off`, `after`];

const sum = (entries) => entries.reduce((total, { regret }) => total + regret, 0);
const costliest = (entries) => entries.reduce((worst, one) => (one.regret > worst.regret ? one : worst));

// The note that replaces praise and a grade (game/core/counting.py); empty if the player had no help.
export function helpNote(speech, { coach, hints }, moves) {
  if (SILENT.includes(coach) && !hints) return ``;
  return hints && moves ? speech.say("hinted", { hints: Math.min(hints, moves), moves }) : speech.say("helped");
}

// `sees` is the smallest cost that the coach mentions to this player.
export function told(says, speech, judged, score, note, sees) {
  const lost = says.lostBy(judged);
  const luck = judged.reduce((total, entry) => total + entry.luck, 0);
  const start = score - luck + lost;
  const equation = new says.Equation(speech, start, score, lost);
  const points = Math.max(1, says.rounded(equation.lost / 10));
  const costly = [...judged].sort((one, other) => other.regret - one.regret);
  const worst = costly.filter(({ regret }) => regret >= speech.words.mistaken);
  const severest = new Map();
  for (const { turn, regret } of judged) severest.set(turn, Math.max(severest.get(turn) ?? 0, regret));
  return {
    lost,
    values: { ...equation.words, score, ...drawing(speech, start, luck, score), ...graded(says, speech, lost) },
    headline: note || speech.said("headline", { lost: equation.lost, above: score - start }),
    points_lost: speech.unbroken(speech.said("points_lost", { lost: equation.lost, points })),
    sentences: [...turnThatDecided(speech, worst), ...habit(says, speech, judged, costly.slice(1).filter(({ regret }) => regret >= sees))],
    squares: [...severest.values()].map((regret) => speech.severity(regret).id),
    worst: worst.slice(0, speech.table.limits.costliest_shown),
  };
}

// The grade and the accuracy, from the points lost per decision.
function graded(says, speech, lost) {
  const [flawless, ...grades] = speech.words.grades;
  if (!says.isMistake(lost)) return { grade: flawless.name, accuracy: speech.percent(1) };
  const each = lost / speech.facts.decisions;
  const { name } = grades.find(({ below }) => each < below);
  return { grade: name, accuracy: speech.percent(Math.min(Math.max(0, 1 - each / speech.words.severities[0].at_least), 1 - 2e-6)) };
}

function drawing(speech, start, luck, score) {
  const places = [start, start + luck, score];
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const half = Math.max(high - low, speech.table.limits.narrowest) * (0.5 + AIR);
  const [startAt, luckAt, scoreAt] = places.map((points) => Math.round((WIDEST * (points - (low + high) / 2 + half)) / (2 * half)));
  return {
    ...{ start_at: startAt, score_at: scoreAt },
    ...{ luck_x: Math.min(startAt, luckAt), luck_width: Math.abs(startAt - luckAt) },
    ...{ mistakes_x: Math.min(luckAt, scoreAt), mistakes_width: Math.abs(luckAt - scoreAt) },
  };
}

function turnThatDecided(speech, [worst]) {
  if (!worst) return [];
  const text = speech.say("turn", { turn: worst.turn, deed: worst.label });
  return [{ figure: speech.takenOff(worst.regret), title: speech.say("turn_title"), text }];
}

// The kind of mistake with the highest total cost, boxes or the holds after a roll; the costliest of its decisions,
// and the better move.
function habit(says, speech, judged, mistakes) {
  const kinds = new Map();
  for (const entry of mistakes) {
    const kind = entry.kept ? entry.throw : 0;
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  const [kind, entries] = [...kinds].reduce((most, one) => (sum(one[1]) > sum(most[1]) ? one : most), [0, []]);
  const { habit: few, habit_share: share } = speech.table.limits;
  if (entries.length < few || sum(entries) < share * sum(judged)) return [];
  const { turn, label: deed, options } = costliest(entries);
  const best = speech.option(says.toTake(options, speech.facts.dice));
  const facts = { count: entries.length, throw: kind, turn, deed, best };
  const text = `${speech.said("habit", facts)} ${speech.say("better", facts)}`;
  return [{ figure: speech.takenOff(sum(entries)), title: speech.say("habit_title"), text }];
}
