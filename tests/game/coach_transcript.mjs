// The lines of the golden transcript as a browser says them, in every language.
import fs from "node:fs";
import { Pocket } from "./js/pocket.js";
import { toTake, whyItWas } from "./js/coach_reasons.js";
import { Speech } from "./js/coach_says.js";

const { program, facts, languages, asked, answers } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const pocket = await Pocket.open(fs.readFileSync(program), facts, "float64");
pocket.solve();
const ends = (position, dice) => pocket.endings(position, dice);
const lines = [];
for (const { position, played, hint, review } of asked) {
  const { options } = pocket.answerWithChips(position);
  const chosen = options.find((one) => `${one.category ?? ""} ${one.dice ?? ""}` === played);
  for (const [code, { words, card, chips }] of Object.entries(languages)) {
    const speech = new Speech(words, card);
    speech.boxes.set("chips", { name: chips }); // is part of no hint that a browser makes
    const { name } = speech.severity(chosen.regret);
    const reason = await whyItWas(speech, { position, options, chosen }, ends);
    lines.push(`${code} hint: ${speech.option(hint.first)}. ${speech.said("why", hint)}`);
    const forced = !position.rolls_left && position.filled.length + 1 === card.boxes.length;
    const values = { forced, regret: chosen.regret, severity: name, price: speech.price(chosen.regret), best: speech.option(toTake(options, card.dice)) };
    lines.push(`${code} verdict: ${speech.said("verdict", values)} ${reason}`);
    const price = speech.cost(chosen.regret);
    lines.push(`${code} review: ${speech.said("review", { ...values, price })} ${speech.said("why", review)}`);
  }
}
fs.writeFileSync(answers, JSON.stringify(lines));
