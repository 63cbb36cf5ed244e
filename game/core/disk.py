"""Disk space that is kept free, so that the moves of running games can always be stored."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import connection

from solver.tables import find_tables_dir


def report_full_disk() -> str:
    """Return a sentence that names the folder that lacks free space, or "" if there is enough."""
    folders = [Path(settings.VAR_DIR), find_tables_dir()]
    if connection.vendor == "sqlite" and (name := connection.settings_dict["NAME"]):
        folders.append(Path(str(name)).parent)
    reserve = settings.DISK_RESERVE_MB * 1_000_000
    for folder in folders:
        if folder.is_dir() and (free := shutil.disk_usage(folder).free) < reserve:
            return (
                f"{free // 1_000_000} MB are free in {folder}, less than DISK_RESERVE_MB"
                f" ({settings.DISK_RESERVE_MB}): players can finish their games, but new games"
                " can begin only in trials"
            )
    return ""
