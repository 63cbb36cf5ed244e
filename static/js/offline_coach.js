// The coach of a running game without a connection. A worker (pocket.js) solves the game once on this device and stores
// the values. coach_says.js makes the coach's texts, and the server's templates draw them.

import * as says from "./coach_reasons.js";
import { Speech } from "./coach_says.js";
import { movesOf, optionOf, slotsOf, sorted } from "./offline_game.js";
import { drawn } from "./offline_parts.js";

const LEVEL = "offline-coach";

export class Coach {
  constructor(table) {
    Object.assign(this, { table, facts: table.facts, words: JSON.parse(document.getElementById("coach-words").textContent) });
    this.speech = new Speech(this.words, table.facts);
    this.worker = new Worker(table.play.dataset.worker, { type: "module" });
    this.queue = this.looked = Promise.resolve();
    this.share = 0; // share of the cards that is solved
    this.judged = [];
    this.heard = movesOf(table.game(), table.facts).length; // no verdict is read twice, or read after a reload
    this.view = this.now = this.hint = this.asked = null; // a view: a review of a finished game, or a drill
    document.addEventListener("click", ({ target }) => this.pressed(target.closest?.("button")?.id));
    document.addEventListener("change", ({ target }) => target.id === "level" && noted(LEVEL, target.value));
    this.solve();
  }

  // Runs one step at a time.
  ask(message, heard = () => {}) {
    const answer = this.queue.then(() => this.table.told(this.worker, message, heard));
    this.queue = answer.catch(() => {});
    return answer;
  }

  // Calculates while the player plays on, and shows the result when it is ready.
  async solve() {
    const { table } = this;
    const open = { does: "open", program: table.address("program"), facts: table.address("facts"), ruleset: table.rules, precision: "float64" };
    try {
      this.start = (await this.ask(open, ({ share }) => this.drawShare((this.share = share)))).start;
      solvedHere().catch(() => {});
      this.ready = true;
    } catch (error) {
      this.fails(error);
    }
    await this.look();
    this.draw();
  }

  // The game goes on without the coach.
  fails(error) {
    this.ready = false;
    this.now = this.hint = null;
    this.failed = `${this.table.words.failed} ${error?.message ?? error}`;
  }

  // Shows the share of the cards that is solved.
  drawShare() {
    for (const bar of document.querySelectorAll("#solving progress")) bar.value = this.share;
  }

  get level() {
    return this.table.game().helped?.coach ?? noted(LEVEL) ?? "after";
  }

  // The coach level is sent with the game. The player chooses it before the first roll, and it stays.
  helped() {
    return (this.table.game().helped ??= { coach: this.level, hints: 0 });
  }

  // ---- The coach's calculations after each move ----

  look() {
    this.looked = this.looked.then(() => this.lookNow()).catch((error) => this.fails(error));
    return this.looked;
  }

  async lookNow() {
    this.now = this.hint = null;
    if (!this.ready) return;
    const { table, view, level } = this;
    const game = table.game();
    if (!view) await this.judge(game);
    const position = !game.ended && (view ? !view.entry : level !== "off") && table.position();
    if (position) this.now = { position, ...(await this.answer(position)) };
  }

  async judge(game) {
    if (this.of !== game.name) Object.assign(this, { heard: this.of ? 0 : this.heard, of: game.name, judged: [] });
    const { judged, speech, facts } = this;
    for (const move of movesOf(game, facts).slice(judged.length)) judged.push(await says.judged(this, speech, move, judged.at(-1)));
    if (judged.length && this.level !== "off") await this.explain(judged.at(-1));
  }

  answer = (position) => this.ask({ does: "answer", position });
  value = (card) => this.ask({ does: "value", card });
  ends = (position, dice) => this.ask({ does: "endings", position, dice });

  // A cheap mistake needs no reason.
  async explain(entry) {
    entry.reason ??= entry.severity.at_least ? await says.whyItWas(this.speech, entry, this.ends) : "";
  }

  // ---- Display ----

  draw() {
    if (this.asked) return void (this.asked.late = true); // the question about a mistake stays until the player answers
    const { level, table } = this;
    const under = table.game().turns.length;
    this.clear();
    this.place(under ? "sheet" : "levels");
    document.getElementById("roll").classList.add("button--primary");
    if (!this.ready && level !== "off") {
      this.said = [...document.getElementById("status").childNodes];
      this.note(this.failed ?? drawn("solving"));
      this.drawShare();
      this.action("later");
    }
    if (!this.ready) return;
    if (document.getElementById("solving")) this.note(...this.said);
    this.action(["off", "alert"].includes(level) ? "" : this.now ? "hint" : "later"); // without dice the button keeps its place
    if (!under || level === "off") return;
    const entry = this.judged.at(-1);
    if (entry) {
      this.verdict(entry, level);
      this.heard = this.judged.length;
      const expected = this.now ? table.card().points + this.now.value : entry.points + entry.chosen.value;
      document.getElementById("coach").append(drawn("standing", says.standing(this.speech, this.start, expected, says.lostBy(this.judged))));
    }
    if (level === "live" && this.now) this.drawPrices();
  }

  clear() {
    for (const id of ["coach", "back", "besides", "decisions"]) document.getElementById(id)?.remove();
  }

  place(part) {
    const { play } = this.table;
    play.querySelector(".extras").append(drawn(part));
    if (part === "levels") document.getElementById("level").value = this.level;
    else document.getElementById("coach").hidden = !this.view && this.level === "off";
  }

  action(part, values) {
    const { play } = this.table;
    play.querySelector('.actions .hint')?.remove();
    if (part) play.querySelector(".actions").prepend(drawn(part, values).querySelector(".hint"));
  }

  note = (...lines) => document.getElementById("status").replaceChildren(...lines);

  // Announces an event (game/core/words/sentences.py).
  happened(event, text, { act = "", facts = {}, anew = false } = {}) {
    const weight = this.speech.table.events[event];
    document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event, says: text, act, facts, weight, anew } }));
  }

  verdict(entry, level) {
    const { speech, judged, table } = this;
    const facts = this.factsOf(entry, level);
    const { id, regret, costs, veiled } = facts;
    const place = judged.indexOf(entry);
    const isOld = place >= 0 && place < this.heard;
    const earlier = judged.slice(0, Math.max(0, place)).filter(({ turn }) => turn === entry.turn).map((one) => this.factsOf(one, level));
    facts.again = earlier.some((one) => !one.costs);
    facts.repeated = costs && earlier.some((one) => speech.said("verdict", one) === speech.said("verdict", facts));
    const words = speech.said("verdict", facts);
    const act = speech.said("act", facts);
    if (words && (this.view || !table.closed())) this.note(this.pictured(facts, act));
    if (words && !isOld) this.happened("verdict", words, { act, facts: { severity: id, cost: regret.toFixed(2) } });
    this.talk(drawn(veiled ? "veiled" : "talk", { ...facts, best: costs ? facts.best : "" }));
  }

  // Returns the smallest cost that the coach mentions to this player; play.js notes the grade.
  sees(isBeginner) {
    return this.speech.table.sees[isBeginner ? "beginner" : noted("grade") || this.words.middle];
  }

  // The facts that the table's rules and the parts of a verdict read. In their first games, players hear no cost or its
  // unit, and of holds or boxes only.
  factsOf({ regret, luck, options, position, severity: { id, name }, reason, label: move, box }, level) {
    const { speech, judged } = this;
    const { noticeable, first_games: first } = speech.table.limits;
    const finished = Number(noted("finished"));
    const isBeginner = level !== "live" && finished < first;
    const sees = this.view ? noticeable : this.sees(isBeginner);
    const best = this.best({ options });
    const costs = regret >= noticeable;
    const veiled = costs && level === "alert";
    const games = costs && isBeginner && !this.view ? finished : undefined;
    const cost = speech.cost(regret);
    return {
      ...{ id, name, severity: name, reason, move, regret, cost, costs, sees, games, veiled },
      idea: Boolean((judged.find((one) => one.regret >= sees) ?? { box }).box) === Boolean(box),
      forced: !position.rolls_left && position.filled.length + 1 === this.facts.boxes.length,
      price: games === undefined ? speech.price(regret) : cost,
      luck: luck === undefined ? "" : speech.said("roll", { luck }),
      dice: veiled || !costs || best.action !== "hold" || best.dice.length === this.facts.dice ? [] : best.dice,
      best: speech.option(best),
    };
  }

  // Returns the texts in the tray. The best hold is drawn as dice; holding none or all is a text.
  pictured(facts, act) {
    const { speech, words } = this;
    const aloud = { ...facts, option: facts.dice.length ? words.hold : facts.best };
    const tray = Object.fromEntries(["figure", "title", "advice"].map((group) => [group, speech.said(group, aloud)]));
    const slip = drawn("slip", { ...facts, tray }).querySelector(".slip");
    slip.querySelector(".slip__words").classList.toggle("slip__words--alone", facts.games !== undefined);
    if (act) slip.querySelector(".why").textContent = speech.say(act);
    for (const [selector, used] of [[".why", act], [".slip__tick", !facts.costs], [".slip__dice", facts.dice.length]]) if (!used) slip.querySelector(selector).remove();
    return slip;
  }

  // Replaces the text in the sheet.
  talk(told) {
    const place = document.querySelector('#coach .coach__talk');
    place.replaceChildren(place.firstElementChild, told);
  }

  drawPrices() {
    const { speech } = this;
    const { dice } = this.now.position;
    for (const option of this.now.options) if (option.action === "score") this.mark(option);
    if (!this.now.position.rolls_left) return;
    const holds = new Map(this.now.options.filter(({ action }) => action === "hold").map((one) => [sorted(one.dice), one.regret]));
    const of = (mask) => holds.get(sorted(dice.filter((_, slot) => (mask >> slot) & 1)));
    const costs = Array.from({ length: 1 << dice.length }, (_, mask) => speech.price(of(mask)));
    const held = this.table.held().reduce((mask, slot) => mask | (1 << slot), 0);
    const live = drawn("live", { costs: costs.join("|"), cost: costs[held] }).querySelector(".slip");
    const told = document.getElementById("status");
    if (!this.judged.length && !this.table.closed()) told.replaceChildren();
    told.append(live);
    document.getElementById("roll").insertAdjacentHTML("beforeend", `<span class="roll__price" aria-hidden="true">${costs[held]}</span>`);
  }

  mark({ category, regret, best }) {
    const box = document.getElementById(`box-${category}`);
    box.toggleAttribute("data-best", best);
    box.setAttribute("aria-description", this.speech.cost(regret));
    box.querySelector(".box__hint").innerHTML = `<b ${best ? "" : "data-lost"}>${this.speech.price(regret)}</b>`;
  }

  // ---- Hints, and warnings before costly moves ----

  async pressed(id) {
    if (id === "hint" && this.now && !this.hint) await this.giveHint();
    else if (id === "take") this.take();
    else if (id === "confirm") this.table.go(this.thinkAgain());
    else if (id === "choose") this.thinkAgain();
  }

  best = ({ options } = this.now) => says.toTake(options, this.facts.dice);

  async giveHint() {
    const { speech, now, table } = this;
    const { position, options } = now;
    if (this.asked) this.thinkAgain();
    this.hint = this.best();
    this.helped().hints += 1;
    await table.keep();
    const reason = await says.whyItWas(speech, { position, options }, this.ends);
    if (this.now !== now) return; // the player has moved on
    const option = speech.option(this.hint);
    this.action("take", { option });
    document.getElementById("roll").classList.remove("button--primary");
    this.note(drawn("hinted", { option }).querySelector(".status__note"));
    this.happened("hint", speech.say("best_is", { option }), { act: "why" });
    this.markBest();
    this.talk(this.ranked(drawn("hint-talk", { reason }), options.slice(0, speech.table.limits.hint_options)));
    document.getElementById("take").focus({ preventScroll: true });
  }

  // Returns rows of a table of options, with expected final scores.
  ranked(told, options, points = this.table.card().points) {
    const { speech } = this;
    const row = told.querySelector('tbody tr');
    row.replaceWith(...options.map((one) => {
      const line = row.cloneNode(true);
      line.dataset.severity = speech.severity(one.regret).id;
      const cells = [speech.option(one), speech.points(points + one.value), one.best ? speech.say("best") : speech.lost(one.regret)];
      cells.forEach((text, n) => (line.children[n].textContent = text));
      return line;
    }));
    return told;
  }

  markBest() {
    const { hint, words } = this;
    if (hint.action === "score") return this.mark(hint);
    const slots = this.slots(hint);
    for (const die of this.table.play.querySelectorAll("button.die")) {
      const keep = slots.includes(Number(die.value));
      const told = die.querySelector(".die__key");
      die.toggleAttribute(keep ? "data-marked" : "data-dropped", true);
      Object.assign(told, { className: "die__hint", textContent: keep ? words.hold : words.let_go });
      die.dataset.free += `, ${told.textContent}`;
      if (die.ariaPressed === "false") die.ariaLabel = die.dataset.free;
    }
  }

  slots = ({ dice }) => slotsOf(dice, this.now.position.dice, this.table.held());

  take() {
    const { table } = this;
    const option = this.hint ?? this.best();
    if (this.asked) this.thinkAgain();
    if (option.action === "score") return table.go(document.getElementById(`box-${option.category}`));
    const slots = this.slots(option);
    for (const die of table.play.querySelectorAll("button.die")) {
      if (slots.includes(Number(die.value)) !== (die.ariaPressed === "true")) die.click();
    }
    table.go(document.getElementById("roll"));
  }

  // Asks before the pressed move if the table has a warning about it; returns whether it has.
  asks(submitter, held) {
    const { now, level, speech, table } = this;
    const category = submitter?.name === "category" ? submitter.value : "";
    const offers = table.offers();
    const offer = offers.get(category);
    if (!offer && submitter?.id !== "roll") return false;
    const kept = offer ? null : held.map((slot) => now?.position.dice[slot]);
    const regret = now && optionOf(now.options, { kept, box: category }).regret;
    const facts = {
      ...{ level, regret, threshold: this.words.threshold, careful: offer, points: offer && offer.points - offer.chip, left: table.left() },
      severity: speech.severity(regret).name,
      name: speech.box(category),
      scores: [...offers.values()].some((one) => one.points > one.chip),
      games: Number(noted("finished")),
    };
    const costly = speech.said("costly", facts);
    const message = speech.unbroken(costly || speech.said("slip", facts));
    if (!message) return false;
    const hides = costly && level === "alert";
    const buttons = drawn("asked", { option: costly && !hides && speech.option(this.best()), text: speech.say(offer ? "score_in" : "roll_anyway", facts) });
    if (!hides) buttons.getElementById("hint").remove();
    const [status, actions] = [document.getElementById("status"), table.play.querySelector(".actions")];
    this.asked = { submitter, actions, said: [...status.childNodes] };
    actions.replaceWith(buttons);
    status.replaceChildren(message);
    document.getElementById("ask").textContent = message;
    this.freeze(true);
    document.getElementById("choose").focus({ preventScroll: true });
    return true;
  }

  freeze(isInert) {
    for (const part of [this.table.play.querySelector(".dice"), document.getElementById("card")]) part.inert = isInert;
  }

  thinkAgain() {
    const { actions, said, submitter, late } = this.asked;
    this.freeze(false);
    this.table.play.querySelector(".actions").replaceWith(actions);
    this.note(...said);
    this.asked = null;
    if (late) this.draw();
    document.getElementById("roll").focus({ preventScroll: true });
    return submitter;
  }
}
