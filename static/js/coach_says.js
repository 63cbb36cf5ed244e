// Applies the rules of game/core/words/coach.json, and formats numbers and options as the server does
// (game/core/words/phrases.py). The texts come in the reader's language; speech.py explains them.

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
    return `${isMistake(amount) ? MINUS : ""}${this.lost(amount)}`;
  }

  cost(regret) {
    if (regret < this.table.limits.noticeable) return this.say(isMistake(regret) ? "next_to_nothing" : "best");
    return this.unbroken(this.say("costs", { points: this.points(regret) }));
  }

  price(regret) {
    return isMistake(regret) ? this.takenOff(regret) : this.say("best");
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
    const { severities } = this.words;
    return isMistake(regret) ? severities.find(({ at_least }) => regret >= at_least) : severities.at(-1);
  }

  box(id) {
    return id ? this.boxes.get(id).name : this.say("no_points");
  }

  option({ action, dice, category, points }) {
    const facts = { points, name: this.box(category), count: this.facts.count, dice: dice?.join(" ") };
    if (action === "score") return this.unbroken(this.say(points ? "scored" : "crossed_out", facts, points));
    if (!dice.length) return this.say("reroll_all", facts);
    return this.say(dice.length === this.facts.dice ? "hold_all" : "hold", facts);
  }
}
