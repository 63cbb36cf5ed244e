
// Behind static/js/pocket.js: solves what it is given, writes V to a file and answers positions.
import fs from "node:fs";

const asked = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
for (const { program, facts, precision, values, positions, answers } of asked) {
  const heard = [];
  const pocket = await Pocket.open(fs.readFileSync(program), facts, precision);
  pocket.solve((filled, done) => (heard[filled] = done));
  fs.writeFileSync(values, pocket.values);
  const told = positions.map((position) => pocket.answer(position));
  const cards = positions.map((position) => pocket.value(position));
  fs.writeFileSync(answers, JSON.stringify({ heard, told, cards }));
}
