"""One date format for all pages; a date stays on one line."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j\u00a0M\u00a0Y"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j\u00a0M\u00a0Y H:i"
