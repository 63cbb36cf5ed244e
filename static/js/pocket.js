// The solver in the browser: a WebAssembly kernel with the facts of a ruleset. It calculates V of every card and
// answers positions in the JSON of the site's API. As a worker it stores its values, by ruleset and precision.

import "./shelf.js";

const PAGE = 65536; // bytes; memory grows by this size
const KIND = { float32: Float32Array, float64: Float64Array };
const TIE = { float32: 1e-3, float64: 1e-9 }; // points; closer options count as equal

const filledIn = (card) => card.toString(2).replaceAll("0", "").length;

export class Pocket {
  // `program` is the kernel's bytes, `facts` those of solver/pocket/facts.py.
  static async open(program, facts, precision) {
    const { instance } = await WebAssembly.instantiate(program);
    return new Pocket(instance.exports, facts, precision);
  }

  constructor(kernel, facts, precision) {
    this.kernel = kernel;
    this.facts = facts;
    this.precision = precision;
    this.tie = TIE[precision];
    this.hold = new Map(facts.holds.map((dice, number) => [dice, number]));
    this.dice = facts.holds.at(-1).length;
    const base = kernel.__heap_base.value;
    this.grow(base + 4 * facts.words.length);
    new Int32Array(kernel.memory.buffer, base).set(facts.words);
    this.bytes = kernel.prepare(base);
    this.grow(this.bytes);
  }

  grow(bytes) {
    const lacking = bytes - this.kernel.memory.buffer.byteLength;
    if (lacking > 0) this.kernel.memory.grow(Math.ceil(lacking / PAGE));
  }

  // Calculates V of every card, the fullest first; calls `told(filled boxes, cards done)` for each card.
  solve(told = () => {}) {
    const boxes = this.facts.boxes.length;
    const levels = Array.from({ length: boxes + 1 }, () => []);
    for (let card = 0; card < 1 << boxes; card++) levels[filledIn(card)].push(card);
    for (let filled = boxes; filled >= 0; filled--) {
      levels[filled].forEach((card, done) => {
        this.kernel.solve(card);
        told(filled, done + 1);
      });
    }
  }

  // V of every card, as bytes of memory that can be stored and restored.
  get values() {
    const { memory, values_at, values_bytes } = this.kernel;
    const kind = KIND[this.precision];
    return new kind(memory.buffer, values_at(), values_bytes() / kind.BYTES_PER_ELEMENT);
  }

  // Returns the expected rest of the game on this card: {filled, upper, chips_won}.
  value(card) {
    return this.kernel.value(...this.place(card));
  }

  place({ filled, upper, chips_won = false }) {
    const { boxes, threshold } = this.facts;
    const row = filled.reduce((row, box) => row | (1 << boxes.indexOf(box)), Number(chips_won) << boxes.length);
    return [row, Math.min(upper, threshold)];
  }

  // Returns every option of {filled, upper, chips_won, dice, rolls_left}, the best first.
  answer(position) {
    const dice = [...position.dice].sort().join("");
    const { boxes, holds } = this.facts;
    const at = this.kernel.answer(...this.place(position), this.hold.get(dice), position.rolls_left);
    const found = new Float64Array(this.kernel.memory.buffer, at, holds.length + 2 * boxes.length);
    const options = position.rolls_left ? this.holdsOf(dice).map((kept) => heldWith(kept, found[this.hold.get(kept)])) : [];
    boxes.forEach((category, box) => {
      const value = found[holds.length + box];
      const points = found[holds.length + boxes.length + box];
      if (value > -Infinity) options.push({ action: "score", category, points, value });
    });
    return this.ranked(options);
  }

  // Returns the same options. For a box, the points of a chip are separate.
  answerWithChips(position) {
    const told = this.answer(position);
    const bare = position.chips_won ? this.answer({ ...position, chips_won: false }) : told;
    for (const option of told.options) {
      const same = bare.options.find(({ action, category }) => action === option.action && category === option.category);
      option.chip = option.points - same.points;
    }
    return told;
  }

  // Returns the ends of this turn after a hold, under perfect play: {box, chance, value}; box is "" without points.
  endings(position, held) {
    let lying = this.thrown(new Map([[[...held].sort().join(""), 1]]));
    for (let left = position.rolls_left - 1; left > 0; left--) lying = this.thrown(this.chosenHolds(position, lying, left));
    const ends = new Map([...this.facts.boxes, ""].map((box) => [box, { box, chance: 0, value: 0 }]));
    for (const [dice, chance] of lying) {
      const best = this.chosenBox({ ...position, dice: [...dice].map(Number), rolls_left: 0 });
      const end = ends.get(best.points > 0 ? best.category : "");
      end.chance += chance;
      end.value += chance * best.value;
    }
    return [...ends.values()].filter(({ chance }) => chance > TIE.float64).map((end) => ({ ...end, value: end.value / end.chance }));
  }

  // Turns the chances of holds into those of rolls: one die at a time, from the smallest holds.
  thrown(chances) {
    for (let size = 0; size < this.dice; size++) {
      for (const [kept, chance] of [...chances].filter(([dice]) => dice.length === size)) {
        chances.delete(kept);
        for (const face of "123456") add(chances, [...kept, face].sort().join(""), chance / 6);
      }
    }
    return chances;
  }

  chosenHolds(position, lying, left) {
    const some = this.facts.holds.length - 1; // values of holds do not depend on the rolled dice
    const at = this.kernel.answer(...this.place(position), some, left);
    const worth = new Float64Array(this.kernel.memory.buffer, at, some + 1);
    const found = new Map();
    for (const [dice, chance] of lying) add(found, firstBest(this.holdsOf(dice), (kept) => worth[this.hold.get(kept)], this.tie), chance);
    return found;
  }

  chosenBox(position) {
    return this.answer(position).best;
  }

  // The distinct holds of a roll, from all dice to none.
  holdsOf(dice) {
    const found = new Set();
    for (let kept = 0; kept < 1 << dice.length; kept++) found.add([...dice].filter((_, slot) => (kept >> slot) & 1).join(""));
    return [...found].sort((one, other) => other.length - one.length || Number(one) - Number(other));
  }

  ranked(options) {
    const value = Math.max(...options.map((option) => option.value));
    for (const option of options) {
      option.regret = value - option.value;
      option.best = option.regret <= this.tie;
    }
    const ordered = inOrder(options, ({ regret }) => regret, this.tie);
    return { value, best: ordered[0], options: ordered };
  }
}

// Returns the first of the options that equal the best.
export function firstBest(all, worth, tie) {
  const most = Math.max(...all.map(worth));
  return all.find((one) => worth(one) > most - tie);
}

// Sorts by cost, the lowest first. A chain of steps below a tie joins equal options, which keep their order.
export function inOrder(all, cost, tie) {
  const places = all.map((_, place) => place).sort((one, other) => cost(all[one]) - cost(all[other]));
  let group = 0;
  const groups = places.map((place, at) => (at && cost(all[place]) - cost(all[places[at - 1]]) > tie ? ++group : group));
  const groupOf = new Map(places.map((place, at) => [place, groups[at]]));
  return places.sort((one, other) => groupOf.get(one) - groupOf.get(other) || one - other).map((place) => all[place]);
}

const add = (chances, dice, more) => chances.set(dice, (chances.get(dice) ?? 0) + more);

function heldWith(kept, value) {
  return { action: "hold", dice: [...kept].map(Number), points: 0, value };
}

// ---- As a worker ----

const OFTEN = 40; // ms between two reports of progress
let pocket = null;

// A browser that stores nothing (a private window, a full disk) solves again each time.
const kept = (mode, ask) => shelf("values", mode, ask).catch(() => undefined);

function solved() {
  let heard = 0;
  let cards = 0;
  pocket.solve((filled, done) => {
    const now = performance.now();
    cards += 1;
    if (now - heard < OFTEN) return;
    heard = now;
    postMessage({ filled, done, share: cards / 2 ** pocket.facts.boxes.length });
  });
}

// Runs once per page. Afterwards the worker needs no connection.
const fetched = new Map();

async function content(address) {
  if (!fetched.has(address)) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${answer.status} ${address}`);
    fetched.set(address, await answer.arrayBuffer());
  }
  return fetched.get(address);
}

const DOES = {
  // `program` and `facts` are addresses. The worker uses stored values, unless the caller asks it to solve again.
  // Without stored values it solves, or returns null if it may not solve. Facts may cover several rulesets. If the
  // caller needs only the rules, it gets the points of boxes.
  async open({ program, facts, precision, ruleset = "", anew = false, recall = false, rules_alone = false }) {
    const [code, text] = await Promise.all([content(program), content(facts)]);
    const told = JSON.parse(new TextDecoder().decode(text));
    pocket = await Pocket.open(code, ruleset ? told[ruleset] : told, precision);
    if (rules_alone) return null;
    const key = `${pocket.facts.hash} ${precision}`;
    const values = anew ? undefined : await kept("readonly", (all) => all.get(key));
    if (recall && !values) return null;
    const began = performance.now();
    if (values) pocket.values.set(values);
    else solved();
    const seconds = (performance.now() - began) / 1000;
    if (!values) await kept("readwrite", (all) => all.put(pocket.values.slice(), key));
    return { start: pocket.value({ filled: [], upper: 0 }), seconds, kept: Boolean(values), bytes: pocket.bytes };
  },
  answer({ position }) {
    const began = performance.now();
    return { ...pocket.answerWithChips(position), seconds: (performance.now() - began) / 1000 };
  },
  endings: ({ position, dice }) => pocket.endings(position, dice),
  value: ({ card }) => pocket.value(card),
  // Finished games of this device, as bytes, which are stored with the values.
  async played({ rules }) {
    const bytes = await kept("readonly", (all) => all.get(`played ${rules}`));
    return bytes ? JSON.parse(new TextDecoder().decode(bytes)) : [];
  },
  remember: ({ rules, games }) => kept("readwrite", (all) => all.put(new TextEncoder().encode(JSON.stringify(games)), `played ${rules}`)),
  forget: () => kept("readwrite", (all) => all.clear()),
};

if (globalThis.WorkerGlobalScope) {
  addEventListener("message", async ({ data }) => {
    try {
      postMessage({ does: data.does, told: await DOES[data.does](data) });
    } catch (error) {
      postMessage({ does: data.does, error: String(error) });
    }
  });
}
