// Parts of the offline page. The server's templates draw them with places such as %(severity.name)s for facts.

import { slotsOf } from "./offline_game.js";

const PLACE = /%\(([\w.]+)\)s/g;

// Returns a part with its facts. If there are rows of facts, the part has a line for each of them.
export function drawn(name, facts = {}, rows = null) {
  const part = document.getElementById(`part-${name}`).content.cloneNode(true);
  const line = rows && part.querySelector("li, .square");
  const list = line?.parentNode;
  line?.remove();
  filled(part, facts);
  list?.append(...rows.map((row) => filled(line.cloneNode(true), row)));
  return part;
}

// Fills the places. An element with a text that lacks a fact, or has `false` instead, is left out.
function filled(node, facts) {
  const value = (name) => name.split(".").reduce((found, part) => found?.[part], facts) ?? "";
  const read = (name) => (value(name) === false ? "" : [value(name)].flat().join(" "));
  const fill = (text) => text.replace(PLACE, (_, name) => read(name));
  for (const attribute of node.attributes ?? []) attribute.value = fill(attribute.value);
  for (const child of [...node.childNodes]) {
    if (child.matches?.("svg.mini")) child.replaceWith(...smallDice(child, facts));
    else if (child.nodeType !== Node.TEXT_NODE) filled(child, facts);
    else if ([...child.data.matchAll(PLACE)].some(([, name]) => !read(name))) node.remove();
    else child.data = fill(child.data);
  }
  if (node.matches?.("[data-lost]")) node.toggleAttribute("data-lost", node.textContent.startsWith("−"));
  return node;
}

// Returns a die for each face. Dice that were rolled again are faint.
function smallDice(die, { dice, kept }) {
  const stay = kept ? slotsOf(kept, dice) : [...dice.keys()];
  return dice.map((face, slot) => {
    const small = die.cloneNode(true);
    small.firstElementChild.setAttribute("href", `#p${face}`);
    small.toggleAttribute("data-thrown", !stay.includes(slot));
    return small;
  });
}
