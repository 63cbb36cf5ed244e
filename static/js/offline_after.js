// The whole coach of a game without a connection: also the end of the game, its review, the same dice again, and drill
// positions. On the board, each of these is a game that stops at a decision.

import * as says from "./coach_reasons.js";
import { Coach } from "./offline_coach.js";
import { gameBefore, movesOf, newTurn, optionOf, play, positionAt } from "./offline_game.js";
import { drawn } from "./offline_parts.js";

const KEPT = 10; // games per ruleset
const STRAYS = 0.2; // chance of a random move in a made-up game that leads to a position
const AMONG = 6;
const LINKS = "a.walk__to[href], a.decided__one, a.worst__what, a.worst__again";
const WALKS = { ArrowLeft: "previous", ArrowRight: "next", p: "previous-mistake", n: "next-mistake" };

export class WholeCoach extends Coach {
  constructor(table) {
    super(table);
    this.kind = table.play.querySelector(".meta__kind");
    this.named = this.kind.textContent;
    document.addEventListener("click", (event) => this.clicked(event));
    document.addEventListener("keydown", (event) => this.typed(event));
  }

  draw() {
    const { table, view } = this;
    const { ended, turns } = table.game();
    if (this.asked || !(ended || view)) {
      super.draw();
      if (this.ready && !turns.length) this.begin();
      return;
    }
    this.clear();
    // The last box is scored before it is stored and drawn; the coach may be ready in between.
    if (!ended) this.drawView(view);
    else if (this.ready && document.getElementById("over")) this.end();
  }

  // ---- Games that are stored for reviews, in addition to those to send ----

  played = () => this.ask({ does: "played", rules: this.table.rules });

  async remember(game) {
    const games = await this.played();
    if (games.some(({ name }) => name === game.name)) return;
    await this.ask({ does: "remember", rules: this.table.rules, games: [...games, game].slice(-KEPT) });
  }

  // Shows, before a game, what else the player can do.
  async begin() {
    this.latest = (await this.played()).at(-1);
    if (this.table.game().turns.length || this.view || document.getElementById("besides")) return;
    this.addToSide(drawn("besides"));
    document.getElementById("latest").hidden = !this.latest;
  }

  // ---- The end of a game ----

  async end() {
    const { speech, table, judged } = this;
    const over = document.getElementById("over");
    const next = over.querySelector(".over__next");
    const game = (this.home = table.game());
    const note = says.helpNote(speech, this.helped(), judged.filter(({ options }) => options.length > 1).length);
    const finished = Number(noted("finished"));
    const early = finished <= speech.table.limits.first_games;
    const costs = finished > 1; // a first game shows no cost
    const { total } = table.card();
    const told = says.told(speech, judged, total, note, this.sees(early && this.level !== "live"));
    const pointsLost = costs && told.points_lost;
    for (const text of [told.headline, pointsLost]) if (text) this.happened("end", text);
    const sentences = told.sentences.map((one) => ({ ...one, figure: costs && one.figure }));
    const { of } = game; // the first game on the same dice
    if (of) sentences.unshift({ figure: speech.signed(total - of.total, 0), text: speech.say("same_dice", { points: of.total }, of.total) });
    over.querySelector(".over__top").append(drawn("head", told));
    next.before(drawn("tell", { points_lost: early && pointsLost }, sentences));
    next.prepend(drawn("ways"));
    next.querySelector("#rematch").hidden = !game.block;
    if (early) over.append(drawn("more"));
    (over.querySelector(".over__more") ?? over).append(...this.account(told, note, early, costs));
    await this.remember(game);
  }

  account({ values, squares, worst }, note, early, costs) {
    const { speech } = this;
    const account = drawn("account", values);
    const grade = account.querySelector(".account__grade");
    if (note) grade.textContent = note;
    else if (early) grade.remove();
    const [turns, number] = [squares.length, worst.length];
    const title = speech.say("turns", { number: turns }, turns);
    const rows = worst.map((entry, at) => ({ ...this.line(entry), place: at + 1, points: costs && speech.takenOff(entry.regret) }));
    const costliest = drawn("worst", {}, rows);
    costliest.querySelector(".worst__title").textContent = speech.say("cost_most", { number }, number);
    return [account, early ? "" : drawn("turns", { title }, squares.map((id) => ({ id }))), number ? costliest : ""];
  }

  line = (entry) => ({ ...entry, number: this.judged.indexOf(entry) });

  // ---- A decision on the board, in a review or to be made ----

  addToSide = (part) => this.table.play.querySelector(".about").prepend(part);

  // Presses before the view is complete are ignored.
  show(view, game = this.home) {
    Object.assign(this, { view, now: null });
    this.kind.textContent = view?.drill ? this.words.drill : this.named;
    return this.table.show(game);
  }

  review(entry) {
    this.led = document.activeElement.id || "next";
    scrollTo(0, 0);
    return this.show({ entry, walks: true }, gameBefore(entry, this.home));
  }

  async drawView({ entry, walks }) {
    this.place("sheet");
    this.addToSide(drawn(this.home.ended ? "result" : "back"));
    this.action("");
    if (entry) await this.drawJudged(entry);
    if (walks) return this.drawWalk(entry);
    if (entry) this.table.play.querySelector(".actions").replaceWith(drawn("following"));
    else this.note(drawn("asking"));
    document.getElementById("roll").focus({ preventScroll: true });
  }

  async drawJudged(entry) {
    const { options, chosen, position } = entry;
    await this.explain(entry);
    this.verdict(entry, "after");
    const shown = options.slice(0, 3);
    if (!shown.includes(chosen)) shown.push(chosen);
    const ranked = this.ranked(drawn("hint-talk"), shown, entry.points);
    ranked.querySelectorAll('tbody tr')[shown.indexOf(chosen)].setAttribute("aria-current", "true");
    document.querySelector('#coach .coach__talk').append(ranked);
    this.hint = chosen.best ? chosen : this.best({ options });
    this.now = { position, options };
    if (!chosen.best) this.markBest();
    for (const button of this.table.play.querySelectorAll('.die, .box--open')) button.disabled = true;
    if (entry.box) this.mark(chosen);
  }

  drawWalk(entry) {
    const { table, speech, judged } = this;
    const place = speech.say("turn_roll", entry);
    table.play.querySelector(".meta__turn").textContent = place;
    const facts = { regret: entry.regret, severity: entry.severity.name, cost: speech.cost(entry.regret) };
    document.getElementById("announce").textContent = speech.say("decided", { place, deed: entry.label, verdict: speech.said("review", facts) });
    const at = judged.indexOf(entry);
    const mistaken = ({ regret }) => regret >= speech.words.mistaken;
    const to = {
      previous: at - 1,
      next: at + 1,
      "previous-mistake": judged.findLastIndex((one, number) => number < at && mistaken(one)),
      "next-mistake": judged.findIndex((one, number) => number > at && mistaken(one)),
    };
    table.play.querySelector(".actions").replaceWith(drawn("walk"));
    for (const link of table.play.querySelectorAll(".walk__to")) {
      link.href = `#${to[link.id]}`;
      if (!judged[to[link.id]]) link.removeAttribute("href");
      link.setAttribute("aria-disabled", !link.hasAttribute("href"));
    }
    document.getElementById("back").after(drawn("decided", {}, judged.map((one) => ({ ...this.line(one), cost: speech.price(one.regret) }))));
    const list = document.querySelector("#decisions ol");
    const here = list.children[at].firstElementChild;
    here.setAttribute("aria-current", "true");
    list.scrollTop = here.offsetTop - list.offsetTop;
    document.getElementById(this.led)?.focus({ preventScroll: true });
  }

  // ---- The same dice again ----

  rematch() {
    const { home, table } = this;
    const of = { total: table.card().total };
    return this.show(null, { name: crypto.randomUUID(), rules: table.rules, began: Date.now(), turns: [], block: home.block, of });
  }

  // ---- Drill positions: mistakes of the stored games, then made-up ones ----

  async drill() {
    const { view } = this;
    if (!view) this.home = this.table.game();
    this.mistakes ??= await this.findMistakes();
    const game = this.mistakes.shift() ?? (await this.dealt());
    if (this.view === view) await this.show({ drill: true }, game); // otherwise the player has pressed something else meanwhile
  }

  // Returns the positions of the stored games' mistakes, each as a game that stops there.
  async findMistakes() {
    const positions = [];
    for (const game of await this.played()) {
      for (const move of movesOf(game, this.facts)) {
        const { options } = await this.answer(move.position);
        if (optionOf(options, move).regret >= this.words.mistaken) positions.push(gameBefore({ ...move, kept: null }, game));
      }
    }
    return positions;
  }

  // Plays with the coach's moves, and some random ones, up to a decision with options.
  async dealt() {
    const { facts, table } = this;
    const turns = [newTurn(table.dice())];
    for (let more = Math.floor(Math.random() * (facts.boxes.length * facts.throws - 1)); turns.length <= facts.boxes.length; more--) {
      const { options } = await this.answer(positionAt(turns, facts).position);
      if (more <= 0 && options.length > 1) return { rules: table.rules, turns };
      const among = Math.random() < STRAYS ? Math.min(AMONG, options.length) : 1;
      play(turns, options[Math.floor(Math.random() * among)], table.dice());
    }
    return this.dealt();
  }

  asks(submitter, held) {
    if (!this.view) return super.asks(submitter, held);
    if (this.now) this.answered(submitter, held);
    return true;
  }

  answered(submitter, held) {
    const { view, now, speech, table } = this;
    if (view.entry) return view.walks || this.drill();
    const box = submitter?.name === "category" ? submitter.value : "";
    if (!box && submitter?.id !== "roll") return;
    const kept = box ? null : held.map((slot) => now.position.dice[slot]);
    view.entry = says.judgedBy(now, speech, { ...positionAt(table.game().turns, this.facts), box, kept });
    document.getElementById("announce").textContent = `${view.entry.label}.`;
    this.draw();
  }

  // ---- Presses ----

  pressed(id) {
    if (id === "go-back") this.show(null);
    else if (id === "latest") this.show(null, this.latest);
    else if (id === "review") this.review(says.costliest(this.judged));
    else if (["drill", "rematch"].includes(id)) this[id]();
    else super.pressed(id);
  }

  clicked(event) {
    const link = event.target.closest?.(LINKS);
    if (!link) return;
    event.preventDefault();
    const entry = this.judged[Number(link.hash.slice(1))];
    if (link.matches(".worst__again")) this.show({ drill: true }, gameBefore({ ...entry, kept: null }, this.home));
    else this.review(entry);
  }

  typed({ key, ctrlKey, altKey, metaKey }) {
    if (this.view?.walks && !ctrlKey && !altKey && !metaKey) document.getElementById(WALKS[key])?.click();
  }
}
