"""What a rehearsal tells whoever ran it, in words."""

from game.trials.rehearsal.course import Rehearsal


def attendance(of: Rehearsal) -> str:
    """Who came and how it ended for them."""
    stayed = len(of.people) - len(of.dropouts) - bool(of.late)
    lines = [
        f"{len(of.people)} bots came; {stayed} played all their games, {len(of.dropouts)} stopped"
        f" in the middle of one, {bool(of.late):d} ran out of time."
        f" {of.returned} left the device and went on in another browser."
    ]
    if link := of.open_link:
        lines.append(
            f"By the open link came {len(of.strangers)}, one of them in two windows at once;"
            f" {link.declined} more declined, {link.sent_away} found no place left. All"
            f" {link.told} pages that name an outcome named the right one."
        )
    return "\n".join(lines)
