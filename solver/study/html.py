"""One self-contained HTML file: text, tables and charts, for light screens, dark ones and paper."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from solver.charts import Chart

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1f2933, #d9dee3); background: light-dark(#fff, #15181c); }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 3rem; font-size: 1.3rem; }
h3 { margin-top: 2rem; font-size: 1.05rem; }
p { max-width: 44rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin-bottom: 1.2rem; font-variant-numeric: tabular-nums; }
.caption { margin: 1.2rem 0 .4rem; font-weight: 600; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
.text, .words td { text-align: left; } td { white-space: nowrap; }
.words td, td.text + td.text { min-width: 6rem; white-space: normal; }
thead th, thead td { border-bottom: 1px solid #888; vertical-align: bottom; }
tr.rule td, tr.rule th { border-top: 2px solid #888; }
td.differs { background: light-dark(#fdf1e7, #33261c); }
td.costs { color: light-dark(#a3421b, #f0a27f); }
figure { margin: 1.5rem 0; } figure svg { width: 100%; min-width: 28rem; height: auto; }
figcaption, .note { color: light-dark(#52606d, #9aa5b1); font-size: .92rem; max-width: 44rem; }
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


@dataclass(frozen=True, slots=True)
class TextTable:
    """Of a report, for a page and for a terminal alike.

    The first ``left`` columns are words, the others numbers.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


def page(title: str, sections: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n" + "\n".join(sections) + "\n</main>\n</body>\n</html>\n"
    )


def heading(text: str, *, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, *, note: bool = False) -> str:
    return f"<p{' class=note' if note else ''}>{escape(text)}</p>"


def folded(summary: str, text: str) -> str:
    return f"<details><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>"


def points(texts: Iterable[str]) -> str:
    return '<ul class="note">' + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def figure(chart: Chart, caption: str = "") -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{scrolling(chart.title, chart.svg())}{below}</figure>"


def scrolling(label: str, content: str) -> str:
    """What may be wider than a phone; it scrolls by keys as well."""
    return (
        f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">'
        f"{content}</div>"
    )


def table(of: TextTable) -> str:
    words = ["text"] * of.left
    rows = [row(cells, classes=words) for cells in of.rows]
    return table_of_rows(of.caption, of.head, rows, left=of.left)


def table_of_rows(caption: str, head: Sequence[str], rows: Iterable[str], *, left: int = 0) -> str:
    """Of rows that are HTML already; without ``left`` all columns are words."""
    words = left or len(head)
    top = "".join(_head(name, text=number < words) for number, name in enumerate(head))
    inside = f"<thead><tr>{top}</tr></thead><tbody>{''.join(rows)}</tbody>"
    content = f"<table{'' if left else ' class=words'}>{inside}</table>"
    return f'<p class="caption">{escape(caption)}</p>{scrolling(caption, content)}'


def _head(name: str, *, text: bool) -> str:
    """A column without a name has no header, only a place for one."""
    kind = " class=text" if text else ""
    return f'<th scope="col"{kind}>{escape(name)}</th>' if name else "<td></td>"


def row(cells: Sequence[object], *, classes: Sequence[str] = (), ruled: bool = False) -> str:
    """``classes`` of the cells, from the first on."""
    named = [*classes] + [""] * (len(cells) - len(classes))
    inside = "".join(
        f"<td{f' class={name}' if name else ''}>{escape(str(cell))}</td>"
        for cell, name in zip(cells, named, strict=True)
    )
    return f"<tr{' class=rule' if ruled else ''}>{inside}</tr>"
