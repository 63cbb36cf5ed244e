// Behind static/js/pocket.js and coach_says.js: what the coach of a page says of positions.
import fs from "node:fs";
import { Pocket } from "./js/pocket.js";
import * as says from "./js/coach_reasons.js";
import { movesOf } from "./js/offline_game.js";
import { Speech } from "./js/coach_says.js";

const { program, facts, card, words, positions, games, answers } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const pocket = await Pocket.open(fs.readFileSync(program), facts, "float64");
pocket.solve();
const speech = new Speech(words, card);
const ends = (position, dice) => pocket.endings(position, dice);
const told = [];
for (const { position, chosen } of positions) {
  const { options } = pocket.answerWithChips(position);
  const named = (one) => `${one.category ?? ""} ${one.dice ?? ""}`;
  const done = options.find((one) => named(one) === chosen);
  told.push({
    options: options.map((one) => [named(one), speech.option(one), speech.price(one.regret), speech.cost(one.regret), speech.lost(one.regret), speech.points(one.value), speech.severity(one.regret).id]),
    best: await says.whyItWas(speech, { position, options }, ends),
    was: await says.whyItWas(speech, { position, options, chosen: done }, ends),
  });
}
const kernel = { answer: (position) => pocket.answerWithChips(position), value: (position) => pocket.value(position) };
const ends_told = [];
for (const { turns, score, helped, grade } of games) {
  const judged = [];
  for (const move of movesOf({ turns }, card)) judged.push(await says.judged(kernel, speech, move, judged.at(-1)));
  const { worst, ...end } = says.told(speech, [...judged], score, says.helpNote(speech, helped, judged.filter(({ options }) => options.length > 1).length), speech.table.sees[grade]);
  ends_told.push({ ...end, worst: worst.map(({ turn, throw: number, label }) => [turn, number, label]), labels: judged.map(({ label }) => label), luck: judged.map(({ luck }) => speech.luck(luck)) });
}
fs.writeFileSync(answers, JSON.stringify({ told, ends: ends_told }));
