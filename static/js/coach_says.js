// Formats numbers and options as the server does (game/core/words/phrases.py), and calculates the costs of a game's
// decisions. The texts come from game/core/words/coach.json, in the reader's language; speech.py explains them.

const TIE = 1e-9; // points; smaller differences are rounding
const COMPARISONS = { "=": (a, b) => a === b, "<": (a, b) => a < b, ">": (a, b) => a > b, ">=": (a, b) => a >= b };
const MINUS = "−";
const UNIT = /(?<![\p{L}\p{N}])(\d(?:[\d.,]*\d)?) (?=\p{L}|%)/gu;

export const isMistake = (lost) => lost > TIE;

// Rounds halves to the even neighbour, and never returns -0.
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
  // `words` has the page's texts, `facts` the facts of the ruleset.
  constructor(words, facts) {
    Object.assign(this, { words, facts, table: words.table });
    this.boxes = new Map(facts.boxes.map((box) => [box.id, box]));
  }

  // Returns a text of the table; a place such as "%(box aim.box)s" has a format and a fact.
  say(name, facts = {}, number) {
    const text = this.table.texts[name];
    const tensed = text.any ?? text[facts.tense] ?? text.after ?? text;
    const counted = Array.isArray(tensed) ? tensed[(number ?? facts[text.count] ?? 1) === 1 ? 0 : 1] : tensed;
    return counted.replace(/%\(([^)]+)\)s/g, (_, place) => this.formatted(facts, place)).replaceAll("%%", "%");
  }

  // ---- Rules: they choose the sentence of a group that fits the facts ----

  said(group, facts) {
    const holds = (condition) => !condition || this.holds(facts, ...condition.split(" "));
    const [, ...names] = this.table.rules[group].find(([conditions]) => conditions.split(" & ").every(holds)) ?? [];
    return names.map((name) => this.sentence(name, facts)).filter(Boolean).join(" ");
  }

  sentence(name, facts) {
    if (name[0] === "@") return this.said(name.slice(1), facts);
    return name[0] === "=" ? this.formatted(facts, name.slice(1)) : this.say(name, facts);
  }

  holds(facts, first, ...others) {
    if (first === "not") return !this.value(facts, others[0]);
    if (first === "new") return this.areNew(facts, others);
    if (!others.length) return Boolean(this.value(facts, first));
    const values = [this.value(facts, first), this.value(facts, others[1])];
    return values.every((one) => one !== null && one !== undefined) && COMPARISONS[others[0]](...values);
  }

  areNew(facts, names) {
    const printed = names.map((name) => this.formatted(facts, `points ${name}`));
    const shown = this.table.shown[facts.tense].map((name) => this.formatted(facts, `points ${name}`));
    return new Set(printed).size === printed.length && !printed.some((one) => shown.includes(one));
  }

  value(facts, name) {
    if (name in this.table.limits) return this.table.limits[name];
    if (/^\d+$/.test(name)) return Number(name);
    return name[0] === "'" ? name.slice(1, -1) : name.split(".").reduce((found, part) => found?.[part], facts);
  }

  formatted(facts, place) {
    const [name, kind] = place.split(" ").reverse();
    if (kind === "say") return this.said(name, facts);
    const value = this.value(facts, name);
    return kind ? this[kind](value) : String(value ?? "");
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
    if (regret < this.table.limits.noticeable) return this.say("next_to_nothing");
    return this.unbroken(this.say("costs", { points: this.points(regret) }));
  }

  price(regret) {
    if (!isMistake(regret)) return this.words.best;
    return this.takenOff(regret >= this.table.limits.noticeable ? rounded(regret, 1) : Math.max(rounded(regret, 2), 0.01));
  }

  luck(amount) {
    if (Math.abs(amount) < this.table.limits.noticeable) return this.say("no_luck");
    return this.unbroken(this.say(amount > 0 ? "good_luck" : "bad_luck", { points: this.points(Math.abs(amount)) }));
  }

  percent(chance) {
    if (chance > 1e-6 && chance <= 0.005) return this.unbroken(this.say("under_1"));
    if (chance >= 0.995 && chance < 1 - 1e-6) return this.unbroken(this.say("over_99"));
    return this.unbroken(this.say("percent", { percent: rounded(100 * chance) }));
  }

  odds(chance) {
    const { below, near } = this.table.odds;
    const named = below.find(([most]) => chance < most);
    if (named) return this.say(named[1]);
    const off = ([times, among]) => Math.abs(times / among - chance);
    const [times, among] = near.reduce((best, one) => (off(one) < off(best) ? one : best));
    return this.say("odds", { times, among });
  }

  // ---- Names ----

  severity(regret) {
    const { severities, good, none } = this.words;
    if (!isMistake(regret)) return none;
    return severities.find(({ at_least }) => regret >= at_least) ?? good;
  }

  box(id) {
    return id ? this.boxes.get(id).name : this.say("no_points");
  }

  option({ action, dice, category, points }) {
    if (action === "score") {
      const facts = { points, name: this.box(category) };
      return this.unbroken(points ? this.say("scored", facts, points) : this.say("crossed_out", facts));
    }
    const count = this.facts.count;
    if (!dice.length) return this.say("reroll_all", { count });
    if (dice.length === this.facts.dice) return this.say("hold_all", { count });
    return this.say("hold", { dice: dice.join(' ') });
  }
}

// Returns the best option as a move: holding all dice means filling a box.
export function toTake(options, dice) {
  const keepsAll = (one) => one.action === "hold" && one.dice.length === dice;
  return options.find((one) => one.best && !keepsAll(one)) ?? options[0];
}

// ---- The state of a game in numbers that add up as printed (game/core/words/equation.py, game/coach/panel.py) ----

export const lostBy = (entries) => sum(entries.map(({ regret }) => regret).filter(isMistake));

export class Equation {
  constructor(speech, start, total, lost) {
    const begun = tenths(start);
    this.lost = isMistake(lost) ? Math.max(1, tenths(lost)) : 0;
    const luck = speech.signed((tenths(total) - begun + this.lost) / 10);
    this.words = { start: speech.points(begun / 10), total: speech.points(tenths(total) / 10), luck, lost: speech.signed(-this.lost / 10) };
  }
}

const [SCALE, HALF] = [2, 100]; // drawing units per point, and half of the drawing's width

export function standing(speech, start, expected, lost) {
  const ends = [expected - start + lost, expected - start];
  const scale = Math.min(SCALE, HALF / Math.max(...ends.map(Math.abs)));
  const [luck, end] = ends.map((points) => scale * points);
  const bars = { luck_x: Math.min(0, luck), luck_width: Math.abs(luck), lost_x: Math.min(luck, end), lost_width: Math.abs(luck - end) };
  return { ...bars, ...new Equation(speech, start, expected, lost).words };
}

// ---- The decisions of a game ----

export const sorted = (dice) => [...dice].sort().join('');

// Returns every decision with rolled dice: its position, the move, and the card before it.
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

// Returns a game up to its last decision, which becomes an empty hold.
export function asked({ turns }) {
  const last = turns.at(-1);
  return { turns: [...turns.slice(0, -1), { ...last, held: [...last.held, []] }] };
}

export const positionIn = (game, facts) => movesOf(asked(game), facts).at(-1).position;

export const optionOf = (options, { kept, box }) =>
  options.find((one) => (kept ? one.action === "hold" && sorted(one.dice) === sorted(kept) : one.category === box));

// Returns the slots of a hold. Among equal dice, slots that were held before come first.
export function slotsOf(kept, dice, held = []) {
  const wanted = [...kept];
  const inOrder = [...dice.keys()].sort((one, other) => held.includes(other) - held.includes(one) || one - other);
  return inOrder.filter((slot) => {
    const at = wanted.indexOf(dice[slot]);
    if (at >= 0) wanted.splice(at, 1);
    return at >= 0;
  });
}

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
