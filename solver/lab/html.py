"""One self-contained HTML file: text, tables and charts, for light screens, dark ones and paper."""

from collections.abc import Iterable, Sequence
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
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
thead th { border-bottom: 1px solid #888; vertical-align: bottom; }
tr.rule td, tr.rule th { border-top: 2px solid #888; }
td.differs { background: light-dark(#fdf1e7, #33261c); }
td.costs { color: light-dark(#a3421b, #f0a27f); }
figure { margin: 1.5rem 0; } figure svg { width: 100%; height: auto; }
figcaption, .note { color: light-dark(#52606d, #9aa5b1); font-size: .92rem; max-width: 44rem; }
ul.note { padding-left: 1.2rem; } a { color: inherit; }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } }
"""


def page(title: str, sections: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n" + "\n".join(sections) + "\n</body>\n</html>\n"
    )


def heading(text: str, *, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, *, note: bool = False) -> str:
    return f"<p{' class=note' if note else ''}>{escape(text)}</p>"


def points(texts: Iterable[str]) -> str:
    return '<ul class="note">' + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def figure(chart: Chart, caption: str = "") -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{chart.svg()}{below}</figure>"


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], *, words: bool = False
) -> str:
    """Numbers on the right, unless all columns are ``words``; a first column is always words."""
    return table_of_rows(caption, head, map(row, rows), words=words)


def table_of_rows(
    caption: str, head: Sequence[str], rows: Iterable[str], *, words: bool = True
) -> str:
    """Of rows that are HTML already."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    return (
        f'<div class="scroll"><table{" class=words" if words else ""}>'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>"
        + "".join(rows)
        + "</tbody></table></div>"
    )


def row(cells: Sequence[object], *, classes: Sequence[str] = (), ruled: bool = False) -> str:
    """``classes`` of the cells, from the first on."""
    named = [*classes] + [""] * (len(cells) - len(classes))
    inside = "".join(
        f"<td{f' class={name}' if name else ''}>{escape(str(cell))}</td>"
        for cell, name in zip(cells, named, strict=True)
    )
    return f"<tr{' class=rule' if ruled else ''}>{inside}</tr>"
