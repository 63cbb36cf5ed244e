"""One date format for all pages; a date stays on one line."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j.n.Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j.n.Y, G.i"
