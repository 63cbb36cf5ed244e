// After a game without a connection: its end, its review, the same dice again, and drill positions. On the board, each
// is a game that stops at a decision. The server's templates draw them (offline_coach.js).

import * as says from "./coach_reasons.js";

const KEPT = 10; // games per ruleset
const STRAYS = 0.2; // chance of a random move in a made-up game that leads to a position
const AMONG = 6;
const WALKS = { ArrowLeft: "previous", ArrowRight: "next", p: "previous-mistake", n: "next-mistake" };

export class After {
  constructor(coach, drawn) {
    const { table, speech } = coach;
    Object.assign(this, { coach, drawn, table, speech, facts: table.facts, home: null, mistakes: [] });
    this.kind = table.play.querySelector(".meta__kind");
    this.named = this.kind.textContent;
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => this.typed(event));
  }

  // ---- Games that are stored for reviews, in addition to those to send ----

  played = () => this.coach.ask({ does: "played", rules: this.table.rules });

  async remember(game) {
    const games = await this.played();
    if (games.some(({ name }) => name === game.name)) return;
    await this.coach.ask({ does: "remember", rules: this.table.rules, games: [...games, game].slice(-KEPT) });
  }

  // Shows, before a game, what else the player can do.
  async begin() {
    const [latest] = (await this.played()).slice(-1);
    const { game } = this.table;
    if (game().turns.length || this.coach.view || document.getElementById("besides")) return;
    const ways = this.drawn("besides");
    if (!latest) ways.querySelector("#latest").remove();
    else this.latest = latest;
    this.addToSide(ways);
  }

  // ---- The end of a game ----

  async end() {
    const { drawn, speech, table } = this;
    const over = document.getElementById("over");
    const game = (this.home = table.game());
    this.judged = this.coach.judged;
    const score = table.card().total;
    const free = this.judged.filter(({ options }) => options.length > 1).length;
    const note = says.helpNote(speech, this.coach.helped(), free);
    const finished = Number(noted("finished"));
    const early = finished <= speech.table.limits.first_games;
    const sees = this.coach.sees(early && this.coach.level !== "live");
    const told = says.told(speech, [...this.judged], score, note, sees);
    if (finished <= 1) told.sentences = told.sentences.map((one) => ({ ...one, figure: "" })); // a first game shows no cost
    const line = (className, textContent) => Object.assign(document.createElement("p"), { className, textContent });
    for (const text of [told.headline, finished > 1 && told.points_lost]) if (text) this.coach.happened("end", text);
    if (told.headline) over.querySelector(".over__top").append(line("over__head", told.headline));
    over.querySelector(".over__next").prepend(drawn("ways"));
    over.querySelector("#rematch").hidden = !game.block;
    over.querySelector(".over__next").before(this.sentences(told.sentences, game, score));
    const account = drawn("account", told.values);
    account.querySelector('.account__part--mistakes dd').toggleAttribute("data-lost", told.lost > 0);
    if (note) account.querySelector(".account__grade").textContent = note;
    if (early && told.points_lost && finished > 1) over.querySelector(".over__next").before(line("over__lost", told.points_lost));
    const worst = this.worst(told.worst, finished > 1);
    if (early) {
      if (!note) account.querySelector(".account__grade").remove();
      const more = drawn("more").firstElementChild;
      more.append(account, ...worst);
      over.append(more);
    } else over.append(account, this.turns(told.squares), ...worst);
    await this.remember(game);
  }

  sentences(told, { of }, score) {
    const { speech } = this;
    const list = this.drawn("sentences").firstElementChild;
    const same = of && { figure: speech.signed(score - of.total, 0), title: "", text: speech.say("same_dice", { points: of.total }, of.total) };
    list.append(...[same, ...told].filter(Boolean).map((one) => this.drawn("sentence", one)));
    if (of) list.querySelector("b").removeAttribute("data-lost");
    return list;
  }

  turns(squares) {
    const number = squares.length;
    const title = this.speech.say("turns", { number }, number);
    const turns = this.drawn("turns", { title });
    turns.querySelector(".squares").innerHTML = squares.map((severity) => `<i class="square" data-square="${severity}"></i>`).join("");
    return turns;
  }

  worst(worst, costs) {
    const number = worst.length;
    if (!number) return [];
    const list = this.listed("worst", worst, ({ regret }, at) => ({ place: at + 1, points: costs ? this.speech.takenOff(regret) : "" }));
    list.querySelector(".worst__title").textContent = this.speech.say("cost_most", { number }, number);
    return [list];
  }

  // Draws a part with a line for each decision.
  listed(part, entries, values) {
    const about = (entry) => ({ ...entry, number: this.judged.indexOf(entry) + 1, deed: entry.label, id: entry.severity.id });
    const [list, ...parts] = [entries[0], ...entries].map((entry, n) => this.drawn(part, { ...about(entry), ...values(entry, n - 1) }));
    const lines = parts.map((one) => one.querySelector("li"));
    lines.forEach((line, n) => (line.querySelector(`.${part}__dice`).innerHTML = this.dice(entries[n])));
    list.querySelector("ol").replaceChildren(...lines);
    return list;
  }

  // Draws small dice. Dice that were rolled again are faint.
  dice({ dice, kept }) {
    const stay = kept ? says.slotsOf(kept, dice) : [...dice.keys()];
    return dice.map((face, slot) => `<svg class="mini" ${stay.includes(slot) ? "" : "data-thrown"}><use href="#p${face}"/></svg>`).join("");
  }

  // ---- A decision on the board, in a review or to be made ----

  // Returns the game before a decision, with the dice of its `kept` held.
  before({ turn, throw: number, kept, dice }, turns) {
    const now = turns[turn - 1];
    const held = kept ? says.slotsOf(kept, dice) : [];
    const last = { ...now, thrown: now.thrown.slice(0, number), held: now.held.slice(0, number - 1), kept: held, box: "", points: 0, chip: 0 };
    return { rules: this.table.rules, turns: [...turns.slice(0, turn - 1), last] };
  }

  addToSide = (part) => this.table.play.querySelector(".about").prepend(part);

  // Presses before the view is complete are ignored.
  show(view, game) {
    Object.assign(this.coach, { view, now: null });
    this.kind.textContent = view?.drill ? this.coach.words.drill : this.named;
    return this.table.show(game);
  }

  review(number) {
    this.led = document.activeElement.id || "next";
    scrollTo(0, 0);
    const entry = this.judged[number - 1];
    return this.show({ entry, review: number }, this.before(entry, this.home.turns));
  }

  back = () => this.show(null, this.home);

  async draw() {
    const { coach, table } = this;
    const { view } = coach;
    coach.place("sheet");
    this.addToSide(this.drawn(this.home.ended ? "result" : "back"));
    table.play.querySelector('.actions .hint')?.remove();
    if (view.entry) await this.drawJudged(view.entry);
    if (view.review) return this.drawWalk(view.review);
    if (view.entry) table.play.querySelector(".actions").replaceWith(this.drawn("following"));
    else coach.note(this.drawn("asking"));
    document.getElementById("roll").focus({ preventScroll: true });
  }

  async drawJudged(entry) {
    const { coach, table } = this;
    const { options, chosen, position } = entry;
    await coach.explain(entry);
    coach.verdict(entry, "after");
    const shown = options.slice(0, 3);
    if (!shown.includes(chosen)) shown.push(chosen);
    const ranked = coach.ranked(this.drawn("hint-talk", { reason: "" }), shown, entry.points);
    ranked.querySelectorAll('tbody tr')[shown.indexOf(chosen)].setAttribute("aria-current", "true");
    ranked.querySelector(".coach__reason").remove();
    document.querySelector('#coach .coach__talk').append(ranked);
    coach.hint = chosen.best ? chosen : coach.best({ options });
    coach.now = { position, options };
    if (!chosen.best) coach.markBest();
    for (const button of table.play.querySelectorAll('.die, .box--open')) button.disabled = true;
    const box = entry.box && document.getElementById(`box-${entry.box}`);
    if (box) coach.mark(box, this.speech.cost(entry.regret), this.speech.price(entry.regret), chosen.best);
  }

  drawWalk(number) {
    const { table, speech, judged } = this;
    const entry = judged[number - 1];
    const place = speech.say("turn_roll", entry);
    table.play.querySelector(".meta__turn").textContent = place;
    const facts = { regret: entry.regret, severity: entry.severity.name, cost: speech.cost(entry.regret) };
    document.getElementById("announce").textContent = speech.say("decided", { place, deed: entry.label, verdict: speech.said("review", facts) });
    const walk = this.drawn("walk");
    const mistaken = ({ regret }) => regret >= speech.words.mistaken;
    const before = judged.slice(0, number - 1);
    const after = judged.slice(number);
    const to = {
      previous: before.at(-1),
      next: after[0],
      "previous-mistake": before.filter(mistaken).at(-1),
      "next-mistake": after.find(mistaken),
    };
    for (const link of walk.querySelectorAll("a")) this.lead(link, judged.indexOf(to[link.id]) + 1);
    table.play.querySelector(".actions").replaceWith(walk);
    this.list(number);
    document.getElementById(this.led)?.focus({ preventScroll: true });
  }

  lead(link, number) {
    if (number) return (link.href = `#${number}`);
    const still = Object.assign(document.createElement("span"), { id: link.id, className: link.className });
    still.setAttribute("aria-disabled", "true");
    still.append(...link.childNodes);
    link.replaceWith(still);
  }

  list(number) {
    const costOf = ({ chosen, regret }) => (chosen.best ? this.coach.words.best : this.speech.takenOff(regret));
    const list = this.listed("decided", this.judged, (entry) => ({ cost: costOf(entry) }));
    const place = list.querySelector("ol");
    const here = place.children[number - 1].firstElementChild;
    here.setAttribute("aria-current", "true");
    document.getElementById("back").after(list);
    place.scrollTop = here.offsetTop - place.offsetTop;
  }

  // ---- The same dice again ----

  rematch() {
    const { home, table } = this;
    const of = { total: table.card().total };
    const game = { name: crypto.randomUUID(), rules: table.rules, began: Date.now(), turns: [], block: home.block, of };
    return this.show(null, game);
  }

  // ---- Drill positions: mistakes of the stored games, then made-up ones ----

  async drill() {
    const { coach, speech, facts } = this;
    const { view } = coach;
    if (!view) this.home = this.table.game();
    const isFirst = !this.asked;
    this.asked = true;
    const games = isFirst ? await this.played() : [];
    for (const { turns } of games) {
      for (const move of says.movesOf({ turns }, facts)) {
        const { options } = await coach.answer(move.position);
        if (says.optionOf(options, move).regret >= speech.words.mistaken) this.mistakes.push(this.before({ ...move, kept: null }, turns));
      }
    }
    const game = this.mistakes.shift() ?? (await this.dealt());
    if (coach.view === view) await this.show({ drill: true }, game); // otherwise the player has pressed something else meanwhile
  }

  // Plays with the coach's moves, and some random ones, up to a decision with options.
  async dealt() {
    const { facts, table, coach } = this;
    const turns = [{ thrown: [table.dice()], held: [], kept: [], box: "", points: 0, chip: 0 }];
    for (let more = Math.floor(Math.random() * (facts.boxes.length * facts.throws - 1)); ; more--) {
      const position = says.positionIn({ turns }, facts);
      const { options } = await coach.answer(position);
      if (more <= 0 && options.length > 1) return { rules: table.rules, turns };
      const choice = Math.random() < STRAYS ? options[Math.floor(Math.random() * Math.min(AMONG, options.length))] : options[0];
      this.play(turns, position.dice, choice);
      if (turns.length > facts.boxes.length) return this.dealt();
    }
  }

  play(turns, dice, { action, dice: kept, category, points, chip }) {
    const { table } = this;
    if (action === "score") {
      Object.assign(turns.at(-1), { box: category, points: points - chip, chip });
      return turns.push({ thrown: [table.dice()], held: [], kept: [], box: "", points: 0, chip: 0 });
    }
    const slots = says.slotsOf(kept, dice);
    turns.at(-1).held.push(kept);
    turns.at(-1).thrown.push(table.dice().map((face, slot) => (slots.includes(slot) ? dice[slot] : face)));
  }

  async answered(submitter, held) {
    const { coach, speech, table } = this;
    if (coach.view.review) return;
    if (coach.view.entry) return this.drill();
    const box = submitter?.name === "category" ? submitter.value : "";
    if (!box && submitter?.id !== "roll") return;
    const now = says.movesOf(says.asked(table.game()), this.facts).at(-1);
    const move = { ...now, box, kept: box ? null : held.map((slot) => now.dice[slot]) };
    coach.view.entry = says.judgedBy(coach.now, speech, move);
    document.getElementById("coach").remove();
    document.getElementById("back").remove();
    document.getElementById("announce").textContent = `${coach.view.entry.label}.`;
    return this.draw();
  }

  // ---- Presses ----

  clicked(event) {
    const link = event.target.closest?.('a.walk__to, a.decided__one, a.worst__what, a.worst__again');
    if (link) {
      event.preventDefault();
      const number = Number(link.hash.slice(1));
      return link.matches(".worst__again") ? this.again(number) : this.review(number);
    }
    const id = event.target.closest?.("button")?.id;
    const ways = { "go-back": () => this.back(), drill: () => this.drill(), rematch: () => this.rematch(), review: () => this.review(1 + this.judged.indexOf(says.costliest(this.judged))), latest: () => this.show(null, this.latest) };
    if (Object.hasOwn(ways, id)) ways[id]();
  }

  again(number) {
    return this.show({ drill: true }, this.before({ ...this.judged[number - 1], kept: null }, this.home.turns));
  }

  typed({ key, ctrlKey, altKey, metaKey }) {
    if (!this.coach.view?.review || ctrlKey || altKey || metaKey) return;
    document.getElementById(WALKS[key])?.click();
  }
}
