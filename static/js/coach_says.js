// Numbers and options in the words of the server (game/core/words/phrases.py), and what a game's decisions were worth.
// Every text here that has a space is one of its catalogue's, and comes in the reader's language
// (game/offline/offline_coach.py).

const TIE = 1e-9; // points: less is how the last bits fall
const NOTICEABLE = 0.05; // less is 0.0 when it is shown
const MINUS = "−";
const UNIT = /(?<![\p{L}\p{N}])(\d(?:[\d.,]*\d)?) (?=\p{L}|%)/gu;

export const isMistake = (lost) => lost > TIE;

// What lies exactly between two goes to the even one; it is never -0.
export function rounded(amount, digits = 0) {
  const tens = 10 ** digits;
  const between = Math.abs((amount * 2 ** (digits + 1)) % 2) === 1;
  if (!between) return Number(amount.toFixed(digits)) + 0;
  const low = Math.floor(amount * tens);
  return (low % 2 ? low + 1 : low) / tens + 0;
}

const tenths = (points) => rounded(10 * rounded(points, 1));
const sum = (all) => all.reduce((total, one) => total + one, 0);

export class Speech {
  // `words` are those of the page, `facts` those of the rules.
  constructor(words, facts) {
    Object.assign(this, { words, facts });
    this.boxes = new Map(facts.boxes.map((box) => [box.id, box]));
  }

  say(text, values = {}) {
    return this.filled(this.words.said[text], values);
  }

  many(one, several, number, values) {
    return this.filled(this.words.said[one][number === 1 ? 0 : 1], values);
  }

  filled(text, values) {
    return text.replace(/%\((\w+)\)s/g, (_, name) => values[name]).replaceAll("%%", "%");
  }

  unbroken(text) {
    return text.replace(UNIT, "$1\u00a0");
  }

  // ---- Numbers ----

  points(amount, digits = 1) {
    return rounded(amount, digits).toFixed(digits).replace("-", MINUS).replace(".", this.words.decimal);
  }

  signed(amount, digits = 1) {
    return rounded(amount, digits) > 0 ? `+${this.points(amount, digits)}` : this.points(amount, digits);
  }

  lost(amount, digits = 1) {
    if (!isMistake(amount) || rounded(amount, digits)) return this.points(Math.max(amount, 0), digits);
    return this.points(Math.max(amount, 0.1 ** (digits + 1)), digits + 1);
  }

  takenOff(amount) {
    return isMistake(amount) ? MINUS + this.lost(amount) : this.points(0);
  }

  cost(regret) {
    if (!isMistake(regret)) return this.words.best;
    if (regret < NOTICEABLE) return this.say("costs next to nothing");
    return this.unbroken(this.say("costs %(points)s points", { points: this.points(regret) }));
  }

  price(regret) {
    if (!isMistake(regret)) return this.words.best;
    return this.takenOff(regret >= NOTICEABLE ? rounded(regret, 1) : Math.max(rounded(regret, 2), 0.01));
  }

  luck(amount) {
    if (Math.abs(amount) < NOTICEABLE) return this.say("neither lucky nor unlucky");
    const points = this.points(Math.abs(amount));
    const text = amount > 0 ? this.say("%(points)s points of good luck", { points }) : this.say("%(points)s points of bad luck", { points });
    return this.unbroken(text);
  }

  percent(chance) {
    if (chance > 1e-6 && chance <= 0.005) return this.unbroken(this.say("under 1 %%"));
    if (chance >= 0.995 && chance < 1 - 1e-6) return this.unbroken(this.say("over 99 %%"));
    return this.unbroken(this.say("%(percent)s %%", { percent: rounded(100 * chance) }));
  }

  odds(chance) {
    const { rare, seldom, spoken } = this.words.odds;
    const named = [rare, seldom].find(([below]) => chance < below);
    return (named ?? spoken.reduce((best, one) => (Math.abs(one[0] - chance) < Math.abs(best[0] - chance) ? one : best)))[1];
  }

  whole(amount) {
    return rounded(amount);
  }

  // ---- Names ----

  severity(regret) {
    const { severities, good, none } = this.words;
    if (!isMistake(regret)) return none;
    return severities.find(({ at_least }) => regret >= at_least) ?? good;
  }

  box(id) {
    return this.boxes.get(id).name;
  }

  option({ action, dice, category, points }) {
    if (action === "score") {
      const facts = { points, name: this.box(category) };
      return this.unbroken(this.many("%(points)s point in %(name)s", "%(points)s points in %(name)s", points, facts));
    }
    const count = this.facts.count;
    if (!dice.length) return this.say("Reroll all %(count)s", { count });
    if (dice.length === this.facts.dice) return this.say("Hold all %(count)s", { count });
    return this.say("Hold %(dice)s", { dice: dice.join(' ') });
  }

  aloud(severity, price = "", option = "") {
    const facts = { severity: severity.name, price, option };
    if (!price) return this.say("%(severity)s.", facts);
    return option ? this.say("%(severity)s, %(price)s. Best: %(option)s.", facts) : this.say("%(severity)s, %(price)s.", facts);
  }
}

// The best one as a move: dice that are all kept are no throw, but a box filled.
export function toTake(options, dice) {
  const keepsAll = (one) => one.action === "hold" && one.dice.length === dice;
  return options.find((one) => one.best && !keepsAll(one)) ?? options[0];
}

// ---- How a game stands, so that the printed numbers add up (game/core/words/equation.py, game/coach/panel.py) ----

export const lostBy = (entries) => sum(entries.map(({ regret }) => regret).filter(isMistake));

export class Equation {
  constructor(speech, start, total, lost) {
    this.start = tenths(start);
    this.lost = isMistake(lost) ? Math.max(1, tenths(lost)) : 0;
    this.luck = tenths(total) - this.start + this.lost;
    this.words = {
      start: speech.points(this.start / 10),
      total: speech.points(tenths(total) / 10),
      luck: speech.signed(this.luck / 10),
      lost: speech.signed(-this.lost / 10),
    };
  }
}

const [SCALE, HALF] = [2, 100]; // of the drawing, whose middle is perfect play

export function standing(speech, start, expected, lost) {
  const luck = expected - start + lost;
  const furthest = Math.max(Math.abs(luck), Math.abs(expected - start));
  const scale = furthest ? Math.min(SCALE, HALF / furthest) : SCALE;
  const bar = (...ends) => ends.map((end) => scale * end).sort((one, other) => one - other);
  const [[luckX, luckEnd], [lostX, lostEnd]] = [bar(0, luck), bar(luck, expected - start)];
  const drawing = { luck_x: luckX, luck_width: luckEnd - luckX, lost_x: lostX, lost_width: lostEnd - lostX };
  return { ...drawing, ...new Equation(speech, start, expected, lost).words };
}

// ---- The decisions of a game ----

export const sorted = (dice) => [...dice].sort().join('');

// Every decision with dice on the table: what was decided in, what was done, and what the card held by then.
export function movesOf(game, facts) {
  const found = [];
  const card = { filled: [], upper: 0, chips_won: false };
  let points = 0;
  game.turns.forEach(({ thrown, held, box, points: own, chip }, turn) => {
    thrown.forEach((dice, throw_) => {
      const kept = held[throw_];
      if (!kept && !box) return;
      const position = { ...card, filled: [...card.filled], dice, rolls_left: facts.throws - throw_ - 1 };
      found.push({ turn: turn + 1, throw: throw_ + 1, dice, position, points, kept, box: kept ? "" : box });
    });
    if (!box) return;
    card.filled.push(box);
    if (facts.boxes.find(({ id }) => id === box).upper) card.upper += own;
    if (box === facts.joker) card.chips_won = own > 0;
    points += own + chip;
  });
  return found;
}

// Of a game that stops where somebody decides: as if nothing was held then.
export function asked({ turns }) {
  const last = turns.at(-1);
  return { turns: [...turns.slice(0, -1), { ...last, held: [...last.held, []] }] };
}

export const positionIn = (game, facts) => movesOf(asked(game), facts).at(-1).position;

export const optionOf = (options, { kept, box }) =>
  options.find((one) => (kept ? one.action === "hold" && sorted(one.dice) === sorted(kept) : one.category === box));

// Which dice a hold means: of equal ones those first that were held before.
export function slotsOf(kept, dice, held = []) {
  const wanted = [...kept];
  const inOrder = [...dice.keys()].sort((one, other) => held.includes(other) - held.includes(one) || one - other);
  return inOrder.filter((slot) => {
    const at = wanted.indexOf(dice[slot]);
    if (at >= 0) wanted.splice(at, 1);
    return at >= 0;
  });
}

// What a decision cost and what the throw before it brought; `earlier` is the decision before it. `kernel` answers.
export async function judged(kernel, speech, move, earlier) {
  const { options, value } = await kernel.answer(move.position);
  const chosen = optionOf(options, move);
  const before = move.throw === 1 ? await kernel.value(move.position) : earlier.chosen.value;
  const label = speech.option({ ...chosen, points: chosen.points - chosen.chip });
  const { regret } = chosen;
  return { ...move, options, value, chosen, regret, luck: value - before, severity: speech.severity(regret), label };
}
