"""A game as text: the card, the dice, the throws that are left."""

from solver.rules import State


def ansi(state: State) -> str:
    width = max(len(category.id) for category in state.rules.categories)
    lines = [_row(state, number, width) for number in range(len(state.boxes))]
    lines += [f"{'bonus':{width}} {state.bonus:4}", f"{'total':{width}} {state.total:4}"]
    if state.dice:
        shown = " ".join(map(str, state.dice))
        lines += ["", f"dice {shown}   throws left {state.throws_left}"]
    return "\n".join(lines)


def _row(state: State, number: int, width: int) -> str:
    """A box and its points; of an open one, in brackets, what the dice would score."""
    box, name = state.boxes[number], state.rules.categories[number].id
    if box is not None:
        return f"{name:{width}} {box.points:4}"
    offer = state.offers.get(number)
    return f"{name:{width}}" + ("" if offer is None else f" {f'({offer})':>5}")
