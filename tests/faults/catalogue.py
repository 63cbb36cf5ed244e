"""Every fault, in the order of the table."""

from tests.faults import (
    of_clocks,
    of_neighbours,
    of_services,
    of_sqlite,
    of_tables,
    of_the_server,
    of_waits,
)

PARTS = (of_the_server, of_sqlite, of_tables, of_clocks, of_services, of_waits, of_neighbours)
FAULTS = [fault for part in PARTS for fault in part.FAULTS]
