"""One date format for all pages; a date stays on one line."""

DATE_FORMAT = SHORT_DATE_FORMAT = "d.m.Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "d.m.Y, H.i"
