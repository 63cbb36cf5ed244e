// Why an option is the best, in one or two sentences, by the rules of the server (game/coach/reasons.py) where values
// are all there is. Its texts come in the reader's language, as those of coach_says.js.

import { inOrder } from "./pocket.js";

const TIE = 1e-9; // points: less is how the last bits fall
const NOTICEABLE = 0.05; // less is 0.0 when it is shown
const [WORTH_TRYING, ALWAYS, MOST] = [0.11, 0.95, 0.5]; // solver/advice/aims.py

const sum = (all) => all.reduce((total, one) => total + one, 0);

// To somebody who has not decided yet. `ends` answers what a turn ends in after a hold.
export function whyBest(speech, position, options, ends) {
  return new Reason(speech, position, options, TELLING.before, null, ends).told();
}

// To somebody who chose.
export function whyItWas(speech, { position, options, chosen }, ends) {
  return new Reason(speech, position, options, chosen.best ? TELLING.found : TELLING.missed, chosen, ends).told();
}

const TELLING = {
  before: {
    aims: ["Aims for %(aim)s.", "Aims for %(aim)s (%(chance)s), or else %(rest)s."],
    nothing: "This turn then scores nothing.",
    none: "None of these dice is worth holding.",
    stops: "Rolling again gains nothing on average.",
    secures: "It secures the bonus.",
    most: "No other box brings more points now.",
    more: "It brings more points now.",
    fits: "These dice score nothing in any open box.",
    only: "It is the only open box.",
    joker: "These dice are a joker and must go there.",
    later: "%(name)s would bring more now, but less in the end.",
    as: "“%(option)s” is worth just as much.",
    nearly: "“%(option)s” would be worth nearly as much.",
    close: NOTICEABLE,
    known: () => [],
    numbers: (speech, more, facts) =>
      speech.many("%(name)s would bring %(more)s point more now, but %(fewer)s fewer later.", "%(name)s would bring %(more)s points more now, but %(fewer)s fewer later.", more, facts),
  },
};
TELLING.missed = {
  aims: ["The aim was %(aim)s.", "The aim was %(aim)s (%(chance)s), or else %(rest)s."],
  nothing: "This turn could not score any points.",
  none: "None of these dice was worth holding.",
  stops: "Rolling again would have gained nothing on average.",
  secures: "It secured the bonus.",
  most: "No other box brought more points.",
  more: "It brought more points at once.",
  fits: "These dice scored nothing in any open box.",
  only: "It was the only open box.",
  joker: "These dice were a joker and had to go there.",
  later: "%(name)s brought more at once, but less in the end.",
  as: "“%(option)s” was worth just as much.",
  nearly: "“%(option)s” was worth nearly as much.",
  close: NOTICEABLE,
  known: (best, rival) => [best.points, rival.points, rival.regret],
  numbers: (speech, more, facts) =>
    speech.many("%(name)s brought %(more)s point more at once, but cost %(fewer)s later.", "%(name)s brought %(more)s points more at once, but cost %(fewer)s later.", more, facts),
};
TELLING.found = {
  ...TELLING.missed,
  later: "%(name)s would have brought more at once, but less in the end.",
  close: 0.3, // game/coach/hints.py
  known: (best) => [best.points],
  numbers: (speech, more, facts) =>
    speech.many("%(name)s would have brought %(more)s point more at once, but cost %(fewer)s later.", "%(name)s would have brought %(more)s points more at once, but cost %(fewer)s later.", more, facts),
};

class Reason {
  constructor(speech, position, options, telling, done, ends) {
    Object.assign(this, { speech, position, options, telling, ends });
    this.first = done?.best ? done : options[0];
    this.chosen = done && !done.best ? done : null;
    this.stops = this.first.action === "hold" && this.first.dice.length === speech.facts.dice;
    const box = this.stops && this.chosen?.action === "score" && options.find(({ best, action }) => best && action === "score");
    this.best = box || this.first;
    // Beside keeping all dice, which is scoring one throw later, it is other throws.
    this.others = options.filter((one) => one !== this.first && (one.action === "hold" || !this.stops));
    this.rival = this.chosen ?? this.strongest();
  }

  async told() {
    const found = [];
    if (this.options.length === 1) found.push(this.forced());
    else if (this.looksBetter(this.rival)) found.push(this.againstMorePoints());
    else {
      const aim = await this.aim();
      found.push(this.aboutBest(aim));
      if (!(aim?.rest?.boxes.length > 1)) found.push(this.beside());
    }
    return found.filter(Boolean).join(' ');
  }

  say(what, values) {
    return this.speech.say(this.telling[what], values);
  }

  forced() {
    const only = this.position.filled.length + 1 === this.speech.facts.boxes.length;
    return this.say(only ? "only" : "joker");
  }

  looksBetter(other) {
    const boxes = this.best.action === "score" && other?.action === "score";
    return boxes && other.points > this.best.points && other.regret >= NOTICEABLE;
  }

  strongest() {
    const tempting = this.others.filter((one) => this.looksBetter(one));
    if (this.best.action === "score" && tempting.length) {
      const most = Math.max(...tempting.map(({ points }) => points));
      return tempting.find(({ points }) => points === most); // the first is worth most
    }
    return this.others.find(({ regret }) => regret >= NOTICEABLE) ?? this.others[0];
  }

  // Of anyone who holds nothing it is no reason.
  async aim() {
    if (this.best.action === "score" || this.stops || !this.best.dice.length) return null;
    return aimAmong(await this.ends(this.position, this.best.dice));
  }

  aboutBest(aim) {
    if (this.best.action === "hold") {
      if (this.stops) return this.say("stops");
      return this.best.dice.length ? this.aimsAt(aim) : this.say("none");
    }
    if (this.securesBonus()) return this.say("secures");
    if (!this.options.some(({ points }) => points)) return this.say("fits");
    if (this.rival.action === "hold") return this.say("stops");
    if (this.best.points === Math.max(...this.options.map(({ points }) => points))) return this.say("most");
    return this.best.points > this.rival.points ? this.say("more") : "";
  }

  aimsAt(aim) {
    if (!aim) return this.say("nothing");
    const { speech } = this;
    const [alone, both] = this.telling.aims;
    const facts = { aim: speech.box(aim.box) };
    if (!aim.rest) return speech.say(alone, facts);
    return speech.say(both, { ...facts, chance: speech.odds(aim.chance), rest: this.otherwise(aim.rest) });
  }

  otherwise({ boxes, share }) {
    const { speech } = this;
    if (!boxes.length) return speech.say("one of several boxes");
    const [first, last] = boxes.map((box) => (box ? speech.box(box) : speech.say("no points")));
    const told = last ? speech.say("%(first)s or %(last)s", { first, last }) : first;
    return share >= ALWAYS ? told : speech.say("mostly %(boxes)s", { boxes: told });
  }

  securesBonus() {
    const { goal } = this.speech.facts;
    const { category, points, chip = 0 } = this.best;
    const { upper } = this.position;
    return this.speech.boxes.get(category).upper && upper < goal && upper + points - chip >= goal;
  }

  beside() {
    const nearest = this.chosen ?? this.others[0];
    if (nearest.regret >= this.telling.close) return "";
    const facts = { option: this.speech.option(nearest) };
    if (nearest.regret < TIE) return this.say("as", facts);
    if (nearest.regret < NOTICEABLE) return this.say("nearly", facts);
    return this.speech.say("“%(option)s” was only %(points)s points behind.", { ...facts, points: this.speech.points(nearest.regret) });
  }

  againstMorePoints() {
    const { speech, best, rival } = this;
    const more = rival.points - best.points;
    const fewer = best.value - best.points - (rival.value - rival.points);
    const facts = { name: speech.box(rival.category), more, fewer: speech.points(fewer) };
    return this.isNew(more, fewer) ? this.telling.numbers(speech, more, facts) : this.say("later", facts);
  }

  // Whether they differ from each other, and from those that a verdict says beside the reason.
  isNew(...numbers) {
    const known = this.telling.known(this.best, this.rival);
    const shown = new Set(numbers.map((number) => this.speech.points(number)));
    return shown.size === numbers.length && !known.some((number) => shown.has(this.speech.points(number)));
  }
}

// ---- What a hold is made for (solver/advice/aims.py) ----

function aimAmong(ends) {
  const won = ends.filter(({ box }) => box);
  if (!won.length) return null;
  const expected = sum(ends.map(({ chance, value }) => chance * value));
  const hoped = won.filter(({ chance, value }) => value > expected - TIE && chance >= WORTH_TRYING);
  const among = hoped.length ? hoped : won;
  const most = Math.max(...among.map(({ chance }) => chance));
  const [aim] = inOrder(among.filter(({ chance }) => chance > most - TIE), ({ value }) => -value, TIE);
  const others = inOrder(ends.filter((one) => one !== aim), ({ chance }) => -chance, TIE);
  return { ...aim, rest: aim.chance < ALWAYS ? restOf(others) : null };
}

function restOf(others) {
  const whole = sum(others.map(({ chance }) => chance));
  for (const number of [1, 2]) {
    const named = others.slice(0, number);
    const share = sum(named.map(({ chance }) => chance)) / whole;
    if (share > MOST + TIE) return { boxes: named.map(({ box }) => box), share };
  }
  return { boxes: [], share: 0 };
}
