"""One date wherever a page shows one; it stays on one line."""

DATE_FORMAT = SHORT_DATE_FORMAT = "d.m.Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "d.m.Y, H.i"
