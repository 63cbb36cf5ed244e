// A game without a connection: its turns, and the cards and positions that follow from them.

export const newTurn = (...thrown) => ({ thrown, held: [], kept: [], box: "", points: 0, chip: 0 });
export const sorted = (dice) => [...dice].sort().join("");

export function cardOf(turns, facts) {
  const done = turns.filter(({ box }) => box);
  const sum = (entries, what) => entries.reduce((total, one) => total + one[what], 0);
  const upper = sum(done.filter(({ box }) => facts.boxes.find(({ id }) => id === box).upper), "points");
  const chips = sum(done, "chip");
  const bonus = upper >= facts.goal ? facts.bonus : 0;
  const chips_won = done.some(({ box, points }) => box === facts.joker && points > 0);
  const points = sum(done, "points") + chips; // the solver adds the bonus at the end
  return { filled: done.map(({ box }) => box), upper, bonus, chips, chips_won, points, total: points + bonus };
}

// Returns the position after a roll, and the points before it; by default of the last roll.
export function positionAt(turns, facts, at = turns.length - 1, roll = turns[at].thrown.length - 1) {
  const { filled, upper, chips_won, points } = cardOf(turns.slice(0, at), facts);
  return { position: { filled, upper, chips_won, dice: turns[at].thrown[roll], rolls_left: facts.throws - roll - 1 }, points };
}

// Returns every decision with rolled dice: its position and the move.
export function movesOf({ turns }, facts) {
  const moves = turns.flatMap(({ thrown, held, box }, at) => thrown.map((dice, roll) => {
    const kept = held[roll];
    return { turn: at + 1, throw: roll + 1, dice, kept, box: kept ? "" : box, ...positionAt(turns, facts, at, roll) };
  }));
  return moves.filter(({ kept, box }) => kept || box);
}

// Returns the game before a decision, with the dice of its `kept` held.
export function gameBefore({ turn, throw: number, kept, dice }, { rules, turns }) {
  const now = turns[turn - 1];
  const last = { ...newTurn(...now.thrown.slice(0, number)), held: now.held.slice(0, number - 1), kept: kept ? slotsOf(kept, dice) : [] };
  return { rules, turns: [...turns.slice(0, turn - 1), last] };
}

// Plays an option; `roll` has the next dice.
export function play(turns, { action, dice: kept, category, points, chip }, roll) {
  const now = turns.at(-1);
  if (action === "score") {
    Object.assign(now, { box: category, points: points - chip, chip });
    return turns.push(newTurn(roll));
  }
  const dice = now.thrown.at(-1);
  const slots = slotsOf(kept, dice);
  now.held.push(kept);
  now.thrown.push(roll.map((face, slot) => (slots.includes(slot) ? dice[slot] : face)));
}

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
