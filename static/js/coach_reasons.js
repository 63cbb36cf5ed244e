// The facts about decisions and games, calculated only from values, as in game/coach/reasons.py, panel.py and
// game/pages/board/story.py. The table of game/core/words/coach.json chooses the sentences for these facts.

import { isMistake, rounded } from "./coach_says.js";
import { optionOf } from "./offline_game.js";
import { inOrder } from "./pocket.js";

const tenths = (points) => rounded(10 * rounded(points, 1));
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
  const share = (number) => sum(others.slice(0, number).map(({ chance }) => chance)) / sum(others.map(({ chance }) => chance));
  const number = [1, 2].find((few) => share(few) > most + tie) ?? 0;
  const rest = { boxes: others.slice(0, number).map(({ box }) => box), share: share(number) };
  return { ...aim, rest: aim.chance < always ? rest : null };
}

// Returns the best option as a move: holding all dice means filling a box.
export function toTake(options, dice) {
  const keepsAll = (one) => one.action === "hold" && one.dice.length === dice;
  return options.find((one) => one.best && !keepsAll(one)) ?? options[0];
}

// ---- The state of a game in numbers that add up as printed (game/core/words/equation.py, game/coach/panel.py) ----

export const lostBy = (entries) => sum(entries.map(({ regret }) => regret).filter(isMistake));

function equate(speech, start, total, lost) {
  const begun = tenths(start);
  const cost = isMistake(lost) ? Math.max(1, tenths(lost)) : 0;
  const luck = speech.signed((tenths(total) - begun + cost) / 10);
  const [start_words, total_words] = [begun, tenths(total)].map((number) => speech.points(number / 10));
  return { cost, words: { start_words, total_words, luck_words: luck, lost_words: speech.signed(-cost / 10) } };
}

const [SCALE, HALF] = [2, 100]; // drawing units per point, and half of the drawing's width
const bar = (one, other) => ({ start: Math.min(one, other), width: Math.abs(one - other) });

export function standing(speech, start, expected, lost) {
  const ends = [expected - start + lost, expected - start];
  const scale = Math.min(SCALE, HALF / Math.max(...ends.map(Math.abs)));
  const [luck, end] = ends.map((points) => scale * points);
  return { ...equate(speech, start, expected, lost).words, luck_bar: bar(0, luck), lost_bar: bar(luck, end) };
}

// ---- The decisions of a game ----

// Returns a decision with its cost; `advice` has all options.
export function judgedBy({ options }, speech, move) {
  const chosen = optionOf(options, move);
  const label = speech.option({ ...chosen, points: chosen.points - chosen.chip });
  const { regret } = chosen;
  return { ...move, options, chosen, regret, severity: speech.severity(regret), label };
}

// Adds the luck of the roll before it; `earlier` is the previous decision.
export async function judged(kernel, speech, move, earlier) {
  const advice = await kernel.answer(move.position);
  const before = move.throw === 1 ? await kernel.value(move.position) : earlier.chosen.value;
  return { ...judgedBy(advice, speech, move), luck: advice.value - before };
}

// ---- The end of a game, without the distribution of perfect games ----

const [WIDEST, AIR] = [1000, 0.06]; // of the drawing

export const costliest = (entries) => entries.reduce((worst, one) => (one.regret > worst.regret ? one : worst));

// The note that replaces praise and a grade (game/core/counting.py); empty if the player had no help.
export function helpNote(speech, { coach, hints }, moves) {
  if (["off", "after"].includes(coach) && !hints) return "";
  return hints && moves ? speech.say("hinted", { hints: Math.min(hints, moves), moves }) : speech.say("helped");
}

// `sees` is the smallest cost that the coach mentions to this player.
export function told(speech, judged, score, note, sees) {
  const lost = lostBy(judged);
  const luck = sum(judged.map((entry) => entry.luck));
  const start = score - luck + lost;
  const { cost, words } = equate(speech, start, score, lost);
  const costly = [...judged].sort((one, other) => other.regret - one.regret);
  const worst = costly.filter(({ regret }) => regret >= speech.words.mistaken);
  const severest = new Map(); // by turn
  for (const { turn, regret } of judged) severest.set(turn, Math.max(severest.get(turn) ?? 0, regret));
  return {
    values: { ...words, score, ...drawing(speech, start, luck, score), ...graded(speech, lost) },
    headline: note || speech.said("headline", { lost: cost, above: score - start }),
    points_lost: speech.unbroken(speech.said("points_lost", { lost: cost, points: Math.max(1, rounded(cost / 10)) })),
    sentences: [...worst.slice(0, 1).map((one) => turnThatDecided(speech, one)), ...habit(speech, judged, costly.slice(1).filter(({ regret }) => regret >= sees))],
    squares: [...severest.values()].map((regret) => speech.severity(regret).id),
    worst: worst.slice(0, speech.table.limits.costliest_shown),
  };
}

// The grade and the accuracy, from the points lost per decision.
function graded(speech, lost) {
  const [flawless, ...grades] = speech.words.grades;
  if (!isMistake(lost)) return { grade: flawless, accuracy: speech.percent(1) };
  const each = lost / speech.facts.decisions;
  return { grade: grades.find(({ below }) => each < below), accuracy: speech.percent(Math.min(Math.max(0, 1 - each / speech.words.severities[0].at_least), 1 - 2e-6)) };
}

function drawing(speech, start, luck, score) {
  const places = [start, start + luck, score];
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const half = Math.max(high - low, speech.table.limits.narrowest) * (0.5 + AIR);
  const [startAt, luckAt, scoreAt] = places.map((points) => Math.round((WIDEST * (points - (low + high) / 2 + half)) / (2 * half)));
  return { start_at: startAt, score_at: scoreAt, luck_bar: bar(startAt, luckAt), mistakes_bar: bar(luckAt, scoreAt) };
}

function turnThatDecided(speech, { turn, regret, label: deed }) {
  return { figure: speech.takenOff(regret), title: speech.say("turn_title"), text: speech.say("turn", { turn, deed }) };
}

// The kind of mistake with the highest total cost, boxes or the holds after a roll; the costliest of its decisions,
// and the better move.
function habit(speech, judged, mistakes) {
  const kinds = new Map();
  for (const entry of mistakes) {
    const kind = entry.kept ? entry.throw : 0;
    kinds.set(kind, [...(kinds.get(kind) ?? []), entry]);
  }
  const [kind, entries] = [...kinds].reduce((most, one) => (lostBy(one[1]) > lostBy(most[1]) ? one : most), [0, []]);
  const { habit: few, habit_share: share } = speech.table.limits;
  if (entries.length < few || lostBy(entries) < share * lostBy(judged)) return [];
  const { turn, label: deed, options } = costliest(entries);
  const best = speech.option(toTake(options, speech.facts.dice));
  const facts = { count: entries.length, throw: kind, turn, deed, best };
  const text = `${speech.said("habit", facts)} ${speech.say("better", facts)}`;
  return [{ figure: speech.takenOff(lostBy(entries)), title: speech.say("habit_title"), text }];
}
