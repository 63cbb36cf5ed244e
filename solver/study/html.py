"""A report as a list of parts (sentences, tables, charts and links), for files and for pages.

A part is plain data. ``render_parts`` converts parts to HTML with the class names of the site's
style sheet. ``render_page`` makes a complete file. ``Words`` formats the texts of a report in
English. The site's subclass of ``Words`` translates them and knows the addresses of pages.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from solver.charts import Chart
from solver.charts.chart import Stages
from solver.players import PLAYERS
from solver.rules import Ruleset

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1f2933, #d9dee3); background: light-dark(#fff, #15181c); }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 3rem; font-size: 1.3rem; }
h3 { margin-top: 2rem; font-size: 1.05rem; }
p { max-width: 44rem; }
.scroll, .wide { overflow-x: auto; }
table { border-collapse: collapse; margin-bottom: 1.2rem; font-variant-numeric: tabular-nums; }
.caption, caption { margin: 1.2rem 0 .4rem; font-weight: 600; text-align: left; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
.text, .words td, th[scope=row] { text-align: left; } td { white-space: nowrap; }
.words td, td.text + td.text { min-width: 6rem; white-space: normal; }
thead th, thead td { border-bottom: 1px solid #888; vertical-align: bottom; }
tr.rule td, tr.rule th { border-top: 2px solid #888; }
ol { list-style: none; padding: 0; margin: 0; } li .muted, li strong { display: block; }
.lab__differs { background: light-dark(#fdf1e7, #33261c); }
strong { color: light-dark(#a3421b, #f0a27f); }
figure { margin: 1.5rem 0; } figure svg { width: 100%; min-width: 28rem; height: auto; }
figcaption, .note, .muted { color: light-dark(#52606d, #9aa5b1); font-size: .92rem;
  max-width: 44rem; }
ul.note { padding-left: 1.2rem; } a { color: inherit; }
@media (max-width: 40rem) { th, td { padding: .15rem; font-size: .75rem; }
  td { white-space: normal; }
  body { padding: 0 .6rem; } th { font-size: .7rem; }
  .text:not(:has(+ td.text)) { overflow-wrap: anywhere; }
  td:first-child:not(:has(+ .text)) { min-width: 3.5rem; }
  td.text + td.text { min-width: 3.5rem; } }
p, summary, pre { overflow-wrap: anywhere; white-space: normal; } summary { cursor: pointer; }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } }
"""
UNIT = re.compile(r"(\d) (?=[^\W\d_]|%)")  # the no-break space between a number and its unit
MINUS, NO_BREAK = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"


class Words:
    def gettext(self, text: str) -> str:
        return text

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        return singular if count == 1 else plural

    def number(self, value: float, digits: int = 1) -> str:
        return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", MINUS)

    def format_whole(self, count: int) -> str:
        return f"{count:,}"

    def signed(self, value: float, digits: int = 1) -> str:
        """Format a number with + or −, or without a sign if the number rounds to 0."""
        return ("+" if round(value, digits) > 0 else "") + self.number(value, digits)

    def format_percent(self, share: float, digits: int = 1) -> str:
        written = self.gettext("%(percent)s %%") % {"percent": self.number(100 * share, digits)}
        return written.replace(" ", NO_BREAK)

    def keep_on_one_line(self, text: str) -> str:
        """Put no-break spaces between numbers and their units."""
        return UNIT.sub(rf"\1{NO_BREAK}", text)

    def box(self, rules: Ruleset, category: str) -> str:
        return category.replace("_", " ").capitalize()

    def held(self, rules: Ruleset, dice: Sequence[int]) -> str:
        return f"Hold {' '.join(map(str, dice)) or 'nothing'}"

    def describe_score(self, rules: Ruleset, category: str, points: int) -> str:
        return self.keep_on_one_line(f"{points} points in {self.box(rules, category)}")

    def player(self, player: str) -> str:
        return PLAYERS[player].title if player in PLAYERS else player

    def day(self, iso: str) -> str:
        return iso

    def url(self, page: str, *arguments: object, part: str = "") -> str:
        """Return the address of a page of the site. A file has no such addresses, so return ""."""
        return ""

    def adapt_chart(self, chart: Chart) -> Chart:
        """Return the chart. The site's subclass changes its size and removes its title."""
        return chart


@dataclass(frozen=True, slots=True)
class Link:
    """A link, or words without an address. ``current`` means that it leads to what the page shows
    now."""

    text: str
    url: str
    current: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    id: str = ""
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph with links. Links without an address, as in files, are left out."""

    text: str
    note: bool = False
    links: Sequence[Link] = ()


@dataclass(frozen=True, slots=True)
class DecisionCell:
    """A table cell with a decision: the dice, the hold or box, and the cost."""

    dice: str
    deed: str
    cost: str = ""
    differs: bool = False


Cell = str | Link | Sequence[DecisionCell]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table for a page, a file or a terminal. The first ``left`` columns are text, all others
    numbers. ``faint`` has the numbers of rows that explain the row before them. ``style`` is a
    class of the site's style sheet."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int = 1
    style: str = ""
    captioned: bool = True
    faint: frozenset[int] = frozenset()

    @property
    def texts(self) -> list[list[str]]:
        """The cells as text, without links. The decisions of a cell are separated by semicolons."""
        rows = []
        for row in self.rows:
            texts = []
            for cell in row:
                if isinstance(cell, str | Link):
                    texts.append(cell if isinstance(cell, str) else cell.text)
                else:
                    steps = (f"{step.dice}: {step.deed} {step.cost}".rstrip() for step in cell)
                    texts.append("; ".join(steps))
            rows.append(texts)
        return rows


@dataclass(frozen=True, slots=True)
class Figure:
    chart: Chart | Stages
    caption: str = ""


@dataclass(frozen=True, slots=True)
class NamedValues:
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class BulletList:
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class Folded:
    summary: str
    parts: "Sequence[Part]"
    open: bool = False


Part = Heading | Paragraph | TextTable | Figure | NamedValues | BulletList | Folded


def render_page(title: str, parts: Iterable[Part]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{render_parts(parts)}\n</main>\n</body>\n</html>\n"
    )


def render_parts(parts: Iterable[Part], *, on_page: bool = False) -> str:
    """Return the parts as HTML. With ``on_page`` the style sheet sets the size of charts."""
    return "\n".join(_draw_part(part, on_page) for part in parts)


def _draw_part(part: Part, on_page: bool) -> str:
    match part:
        case Heading():
            place = f' id="{part.id}"' if part.id else ""
            return f"<h{part.level}{place}>{escape(part.text)}</h{part.level}>"
        case Paragraph():
            links = [_draw_cell(link) for link in part.links if link.url]
            if part.links and not part.text:
                items = "".join(f"<li>{link}</li>" for link in links)
                return f'<ul class="links">{items}</ul>' if items else ""
            kind = " class=muted" if part.note else ""
            return f"<p{kind}>{' '.join(filter(None, [escape(part.text), *links]))}</p>"
        case TextTable():
            return _draw_table(part)
        case Figure():
            below = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
            svg = part.chart.draw_for_page() if on_page else part.chart.svg()
            drawing = svg if on_page else _wrap_scrollable(part.chart.title, svg)
            return f'<figure class="plot">{below}{drawing}</figure>'
        case NamedValues():
            rows = "".join(
                f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
                for name, value in part.rows
            )
            return f'<dl class="figures">{rows}</dl>'
        case BulletList():
            items = "".join(f"<li>{escape(text)}</li>" for text in part.texts)
            return f'<ul class="muted">{items}</ul>'
        case Folded():
            inside = render_parts(part.parts, on_page=on_page)
            summary = f"<summary>{escape(part.summary)}</summary>"
            opened = " open" if part.open else ""
            return f'<details class="lab__table"{opened}>{summary}{inside}</details>'


def _draw_table(table: TextTable) -> str:
    classes = ["text" if number < table.left else "number" for number in range(len(table.head))]
    head = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}</th>' if name else "<td></td>"
        for name, kind in zip(table.head, classes, strict=True)
    )
    rows = []
    for number, row in enumerate(table.rows):
        first, *others = map(_draw_cell, row)
        cells = "".join(
            f'<td class="{kind}">{cell}</td>'
            for cell, kind in zip(others, classes[1:], strict=True)
        )
        faint = ' class="lab__costs"' if number in table.faint else ""
        rows.append(f'<tr{faint}><th scope="row">{first}</th>{cells}</tr>')
    caption = f"<caption>{escape(table.caption)}</caption>" if table.captioned else ""
    style = f"list {table.style}".strip()
    name = "" if table.captioned else f' aria-label="{escape(table.caption)}"'
    inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return _wrap_scrollable(table.caption, f'<table class="{style}"{name}>{inside}</table>')


def _draw_cell(cell: Cell) -> str:
    if isinstance(cell, Link):
        text = escape(cell.text)
        current = ' aria-current="page"' if cell.current else ""
        note = f' <span class="muted">{escape(cell.note)}</span>' if cell.note else ""
        shown = f'<a href="{escape(cell.url)}"{current}>{text}</a>' if cell.url else text
        return f"{shown}{note}"
    if isinstance(cell, str):
        return escape(cell)
    steps = []
    for step in cell:
        cost = f" <strong>{escape(step.cost)}</strong>" if step.cost else ""
        differs = ' class="lab__differs"' if step.differs else ""
        dice = f'<span class="muted">{escape(step.dice)}</span>'
        steps.append(f"<li{differs}>{dice} {escape(step.deed)}{cost}</li>")
    return f"<ol>{''.join(steps)}</ol>"


def _wrap_scrollable(label: str, content: str) -> str:
    """Return HTML in a region that scrolls sideways by touch, pointer and keyboard."""
    return (
        f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">{content}</div>'
    )
