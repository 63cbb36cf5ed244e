"""Tables are read down their columns: headings stand on one line, over what they are about."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import NewPage
from tests.browser.steps import PHONE

# Where the text of each heading ends, below and at its side, and that of the first cell under it.
EDGES = """() => [...document.querySelectorAll("table:has(thead)")].map((table) => {
    const inside = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getBoundingClientRect();
    };
    const heads = [...table.tHead.rows[0].cells].filter((cell) => inside(cell).height > 2);
    const below = [...table.tBodies[0].rows[0].cells];
    return heads.map((cell) => ({
        bottom: inside(cell).bottom,
        aligned: [cell, below[cell.cellIndex]].map((one) => one && getComputedStyle(one).textAlign),
    }));
})"""
PAGES = ["/lab/", "/lab/study/", "/explore/?dice=12345&left=1", "/rules/"]


@pytest.mark.sampled("options")
@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("options", [{}, PHONE], ids=["desk", "phone"])
def test_headings_of_a_table_stand_on_one_line(
    new_page: NewPage, address: str, options: dict[str, object]
) -> None:
    page: Page = new_page(**options)
    page.goto(address)
    for heads in page.evaluate(EDGES):
        bottoms = [head["bottom"] for head in heads]
        if bottoms:
            assert max(bottoms) - min(bottoms) < 1.5, (address, heads)
