// The coach of a game without a connection. A worker (pocket.js) solves the game once on this device and stores the
// values. coach_says.js makes the coach's texts, and the server's templates draw them.

import * as says from "./coach_reasons.js";
import { Speech } from "./coach_says.js";
import { After } from "./offline_after.js";

const LEVEL = "offline-coach";
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// Returns a part of the page with its placeholders filled.
export function drawn(name, values = {}) {
  const made = document.createElement("template");
  const html = document.getElementById(`part-${name}`).innerHTML;
  made.innerHTML = html.replace(/%\((\w+)\)s/g, (_, place) => escaped(values[place]));
  return made.content;
}

export class Coach {
  constructor(table) {
    Object.assign(this, { table, facts: table.facts, words: JSON.parse(document.getElementById("coach-words").textContent) });
    this.speech = new Speech(this.words, table.facts);
    this.worker = new Worker(table.play.dataset.worker, { type: "module" });
    this.before = this.looked = Promise.resolve();
    this.share = 0; // share of the cards that is solved
    this.judged = [];
    this.already = says.movesOf(table.game(), table.facts).length; // moves from before the page was loaded get no verdict
    this.view = this.now = this.hint = this.asked = null; // a view: a review of a finished game, or a drill
    document.addEventListener("click", ({ target }) => this.pressed(target.closest?.("button")?.id));
    document.addEventListener("change", ({ target }) => target.id === "level" && noted(LEVEL, target.value));
    this.after = new After(this, drawn);
    this.solve();
  }

  // Runs one step at a time.
  ask(message, heard = () => {}) {
    const answer = this.before.then(() => this.table.told(this.worker, message, heard));
    this.before = answer.catch(() => {});
    return answer;
  }

  // Calculates while the player plays on, and shows the result when it is ready.
  async solve() {
    const { table } = this;
    const open = { does: "open", program: table.address("program"), facts: table.address("facts"), ruleset: table.rules, precision: "float64" };
    try {
      this.start = (await this.ask(open, (far) => this.heard(far))).start;
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

  heard({ filled, done }) {
    const boxes = this.facts.boxes.length;
    let before = 0;
    for (let level = boxes, cards = 1; level > filled; cards = (cards * level) / (boxes - level + 1), level--) before += cards;
    this.share = (before + done) / 2 ** boxes;
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
    const { table } = this;
    if (this.view) {
      if (!this.view.entry) this.now = { position: table.position(), ...(await this.answer(table.position())) };
      return;
    }
    if (this.of !== table.game().name) Object.assign(this, { already: this.of ? 0 : this.already, of: table.game().name, judged: [] });
    const moves = says.movesOf(table.game(), this.facts);
    for (const move of moves.slice(this.judged.length)) this.judged.push(await says.judged(this, this.speech, move, this.judged.at(-1)));
    const position = table.game().ended ? null : table.position();
    if (position && this.level !== "off") this.now = { position, ...(await this.answer(position)) };
    if (this.level !== "off") await this.explain(this.judged.at(-1));
  }

  answer = (position) => this.ask({ does: "answer", position });
  value = (card) => this.ask({ does: "value", card });
  ends = (position, dice) => this.ask({ does: "endings", position, dice });

  // A cheap mistake needs no reason.
  async explain(entry) {
    if (!entry || entry.reason !== undefined) return;
    const told = this.words.severities.includes(entry.severity);
    entry.reason = told ? await says.whyItWas(this.speech, entry, this.ends) : "";
  }

  // ---- Display ----

  draw() {
    if (this.asked) return void (this.asked.late = true); // the question about a mistake stays until the player answers
    const { level, table } = this;
    for (const id of ["coach", "back", "besides", "decisions"]) document.getElementById(id)?.remove();
    // The last box is scored before it is stored and drawn; the coach may be ready in between.
    if (table.game().ended) return this.ready && document.getElementById("over") && this.after.end();
    if (this.view) return this.after.draw();
    const under = table.game().turns.length;
    this.place(under ? "sheet" : "levels");
    if (!under) document.getElementById("level").value = level;
    document.getElementById("roll").classList.add("button--primary");
    if (!this.ready) return this.drawSolving();
    if (document.getElementById("solving")) this.note(...this.said);
    table.play.querySelector('.actions .hint')?.remove();
    if (level === "off") return under ? null : this.after.begin();
    if (level !== "alert") this.action(this.now ? "hint" : "later"); // without dice the button keeps its place
    if (!under) return this.after.begin();
    const entry = this.judged.at(-1);
    if (entry) {
      this.verdict(entry, level);
      this.spoken = entry;
      this.drawStanding(entry);
    }
    if (level === "live" && this.now) this.drawPrices();
  }

  place(part) {
    const { play } = this.table;
    play.querySelector(".extras").append(drawn(part));
    if (part === "sheet") document.getElementById("coach").hidden = !this.view && this.level === "off";
  }

  drawSolving() {
    if (this.level === "off") return;
    this.said = [...document.getElementById("status").childNodes];
    this.note(this.failed ?? drawn("solving"));
    for (const bar of document.querySelectorAll("#solving progress")) bar.value = this.share;
    this.action("later");
  }

  action(part, values) {
    const { play } = this.table;
    play.querySelector('.actions .hint')?.remove();
    play.querySelector(".actions").prepend(drawn(part, values).querySelector(".hint"));
  }

  note = (...lines) => document.getElementById("status").replaceChildren(...lines);

  // Announces an event (game/core/words/sentences.py).
  happened(event, text, { act = "", facts = {}, anew = false } = {}) {
    const weight = this.speech.table.events[event];
    document.dispatchEvent(new CustomEvent("yatzy:happened", { detail: { event, says: text, act, facts, weight, anew } }));
  }

  verdict(entry, level) {
    const { speech, judged } = this;
    const facts = this.factsOf(entry, level);
    const { id, regret, costs, veiled } = facts;
    const place = judged.indexOf(entry);
    const isOld = entry === this.spoken || (place >= 0 && place < this.already);
    const inTurn = judged.slice(0, Math.max(0, place)).filter(({ turn }) => turn === entry.turn);
    const again = inTurn.some((one) => one.regret < speech.table.limits.noticeable);
    const repeated = costs && inTurn.some((one) => speech.said("verdict", this.factsOf(one, level)) === speech.said("verdict", facts));
    const words = speech.said("verdict", { ...facts, again, repeated });
    const act = speech.said("act", facts);
    if (words && (this.view || !this.closed())) this.note(this.pictured(facts, act));
    if (words && !isOld) this.happened("verdict", words, { act, facts: { severity: id, cost: regret.toFixed(2) } });
    const told = drawn(veiled ? "veiled" : "talk", facts);
    if (!costs) told.querySelector(".feedback__best").remove();
    if (!facts.luck) told.querySelector(".coach__note").remove();
    this.talk(told);
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
    const { costs, games, dice, best } = facts;
    const aloud = { ...facts, option: dice.length ? words.hold : best };
    const [figure, title, advice] = ["figure", "title", "advice"].map((group) => speech.said(group, aloud));
    const slip = drawn("slip", { ...facts, figure, title, advice, dice: dice.join(" ") }).querySelector(".slip");
    slip.querySelector(".slip__dice").innerHTML = dice.map((face) => `<svg class="mini"><use href="#p${face}"/></svg>`).join("");
    if (act) slip.querySelector(".why").textContent = speech.say(act);
    slip.querySelector(".slip__words").classList.toggle("slip__words--alone", games !== undefined);
    const unused = { ".slip__tick": costs, ".why": !act, ".slip__dice": !dice.length, ".slip__figure": !figure, "b:not(.figure)": !title };
    for (const selector of Object.keys(unused)) if (unused[selector]) slip.querySelector(selector).remove();
    return slip;
  }

  // A joker that some open boxes do not allow comes first.
  closed() {
    const { now, facts } = this;
    const taking = now?.options.filter(({ action }) => action === "score").length;
    return now && taking < facts.boxes.length - now.position.filled.length;
  }

  // Replaces the text in the sheet.
  talk(told) {
    for (const reason of told.querySelectorAll(".coach__reason")) reason.hidden = !reason.textContent;
    const place = document.querySelector('#coach .coach__talk');
    place.replaceChildren(place.firstElementChild, told);
  }

  drawStanding({ points, chosen }) {
    const { now, start, judged, speech } = this;
    const expected = now ? this.points() + now.value : points + chosen.value;
    const lost = says.lostBy(judged);
    const standing = drawn("standing", says.standing(speech, start, expected, lost));
    standing.querySelector('.standing__of-lost dd').toggleAttribute("data-lost", lost > 0);
    document.querySelector('#coach .standing')?.remove();
    document.getElementById("coach").append(standing);
  }

  drawPrices() {
    const { speech } = this;
    const { dice } = this.now.position;
    for (const { action, category, regret, best } of this.now.options) {
      const box = action === "score" && document.getElementById(`box-${category}`);
      if (!box) continue;
      this.mark(box, best ? this.words.best : speech.cost(regret), speech.price(regret), best);
    }
    if (!this.now.position.rolls_left) return;
    const holds = new Map(this.now.options.filter(({ action }) => action === "hold").map((one) => [says.sorted(one.dice), one.regret]));
    const of = (mask) => holds.get(says.sorted(dice.filter((_, slot) => (mask >> slot) & 1)));
    const costs = Array.from({ length: 1 << dice.length }, (_, mask) => speech.price(of(mask)));
    const held = this.table.held().reduce((mask, slot) => mask | (1 << slot), 0);
    const live = drawn("live", { costs: costs.join("|"), cost: costs[held] }).querySelector(".slip");
    live.querySelector("b").toggleAttribute("data-lost", costs[held].startsWith("−"));
    const told = document.getElementById("status");
    if (!this.judged.length && !this.closed()) told.replaceChildren();
    told.append(live);
    document.getElementById("roll").insertAdjacentHTML("beforeend", `<span class="roll__price" aria-hidden="true">${costs[held]}</span>`);
  }

  mark(box, words, figure, best) {
    box.toggleAttribute("data-best", best);
    box.setAttribute("aria-description", words);
    box.querySelector(".box__hint").innerHTML = `<b ${best ? "" : "data-lost"}>${figure}</b>`;
  }

  // ---- Hints, and warnings before costly moves ----

  async pressed(id) {
    if (id === "hint" && this.now && !this.hint) await this.giveHint();
    else if (id === "take") this.take();
    else if (id === "confirm" && this.asked) this.table.go(this.thinkAgain());
    else if (id === "choose" && this.asked) this.thinkAgain();
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

  // Returns the points so far; the solver adds the bonus at the end.
  points({ total, bonus } = this.table.card()) {
    return total - bonus;
  }

  // Returns rows of a table of options, with expected final scores.
  ranked(told, options, points = this.points()) {
    const { speech, words } = this;
    const row = told.querySelector('tbody tr');
    row.replaceWith(...options.map((one) => {
      const line = row.cloneNode(true);
      line.dataset.severity = speech.severity(one.regret).id;
      const cells = [speech.option(one), speech.points(points + one.value), one.best ? words.best : speech.lost(one.regret)];
      cells.forEach((text, n) => (line.children[n].textContent = text));
      return line;
    }));
    return told;
  }

  markBest() {
    const { hint, words } = this;
    if (hint.action === "score") return this.mark(document.getElementById(`box-${hint.category}`), words.best, words.best, true);
    for (const die of this.table.play.querySelectorAll("button.die")) {
      const keep = this.slots().includes(Number(die.value));
      const told = die.querySelector(".die__key");
      die.toggleAttribute(keep ? "data-marked" : "data-dropped", true);
      Object.assign(told, { className: "die__hint", textContent: keep ? words.hold : words.let_go });
      die.dataset.free += `, ${told.textContent}`;
      if (die.ariaPressed === "false") die.ariaLabel = die.dataset.free;
    }
  }

  slots = () => says.slotsOf(this.hint.dice, this.now.position.dice, this.table.held());

  take() {
    const { hint, asked } = this;
    this.hint ??= this.best();
    if (asked) this.thinkAgain();
    if (this.hint.action === "score") return this.table.go(document.getElementById(`box-${this.hint.category}`));
    const slots = this.slots();
    for (const die of this.table.play.querySelectorAll("button.die")) {
      if (slots.includes(Number(die.value)) !== (die.ariaPressed === "true")) die.click();
    }
    this.hint = hint;
    this.table.go(document.getElementById("roll"));
  }

  // Returns whether the pressed move needs a warning first.
  asks(submitter, held) {
    if (this.view) return this.now && this.after.answered(submitter, held), true;
    const asked = this.warning(submitter, held);
    if (!asked) return false;
    const { unused, message, option, text } = asked;
    const [status, actions] = [document.getElementById("status"), this.table.play.querySelector(".actions")];
    this.asked = { submitter, actions, said: [...status.childNodes], inert: [this.table.play.querySelector(".dice"), document.getElementById("card")] };
    const buttons = drawn("asked", { option, text });
    for (const id of unused) buttons.getElementById(id).remove();
    actions.replaceWith(buttons);
    status.replaceChildren(message);
    document.getElementById("ask").textContent = message;
    for (const part of this.asked.inert) part.inert = true;
    document.getElementById("choose").focus({ preventScroll: true });
    return true;
  }

  // Returns the table's warning about the pressed move, and the buttons that it does not need; null without a warning.
  warning(submitter, held) {
    const { now, level, speech, words, table } = this;
    const category = submitter?.name === "category" ? submitter.value : "";
    const offers = table.offers();
    const offer = offers.get(category);
    if (!offer && submitter?.id !== "roll") return null;
    const option = now && says.optionOf(now.options, offer ? { box: category } : { kept: held.map((slot) => now.position.dice[slot]) });
    const points = offer && offer.points - offer.chip;
    const facts = {
      ...{ level, regret: option?.regret, threshold: words.threshold, points, left: table.left(), careful: offer },
      severity: speech.severity(option?.regret).name,
      name: speech.box(category),
      scores: [...offers.values()].some((one) => one.points > one.chip),
      games: Number(noted("finished")),
    };
    const group = ["costly", "slip"].find((name) => speech.said(name, facts));
    if (!group) return null;
    const unused = group === "slip" ? ["hint", "take"] : [level === "alert" ? "take" : "hint"];
    const message = speech.unbroken(speech.said(group, facts));
    return { unused, message, option: now && speech.option(this.best()), text: speech.say(offer ? "score_in" : "roll_anyway", facts) };
  }

  thinkAgain() {
    const { actions, said, inert, submitter, late } = this.asked;
    for (const part of inert) part.inert = false;
    this.table.play.querySelector(".actions").replaceWith(actions);
    this.note(...said);
    this.asked = null;
    if (late) this.draw();
    document.getElementById("roll").focus({ preventScroll: true });
    return submitter;
  }
}
