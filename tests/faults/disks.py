"""Disks that can be filled, cut off and looked at: where this program may mount them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path


@cache
def may_mount() -> bool:
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(command, capture_output=True).returncode == 0


@cache
def may_loop() -> bool:
    """Whether a file can be mounted as a disk."""
    if not may_mount() or not shutil.which("mkfs.ext4"):
        return False
    return subprocess.run(["losetup", "--find"], capture_output=True).returncode == 0


@contextmanager
def small(folder: Path, megabytes: int) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    try:
        yield
    finally:
        _run("umount", "--lazy", str(folder))


def fill(file: Path) -> None:
    """Until there is no room at all."""
    with suppress(OSError), file.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(4096))


class Disk:
    """A file with a file system in it: what the file holds is what outlives a power cut.

    What programs have written and not synced is in the memory of the system that has it mounted.
    """

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder

    def make(self, megabytes: int) -> None:
        with self.image.open("wb") as file:
            file.truncate(megabytes << 20)
        _run("mkfs.ext4", "-q", str(self.image))
        self.folder.mkdir(exist_ok=True)
        self.mount()

    def mount(self) -> None:
        _run("mount", "-o", "loop", str(self.image), str(self.folder))

    def unmount(self) -> None:
        _run("umount", str(self.folder))

    def sync(self) -> None:
        _run("sync", "--file-system", str(self.folder))

    def cut(self) -> Path:
        """The disk as it would be if the power went now."""
        then = self.image.with_name("then")
        _run("cp", "--sparse=always", str(self.image), str(then))
        return then


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[Disk]:
    found = Disk(folder.with_name(f"{folder.name}.image"), folder)
    found.make(megabytes)
    try:
        yield found
    finally:
        found.unmount()


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Root may write whatever is not immutable."""
    if os.geteuid() == 0:
        _run("chattr", "+i", str(path))
    else:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        if os.geteuid() == 0:
            _run("chattr", "-i", str(path))
        else:
            path.chmod(0o755 if path.is_dir() else 0o644)


@cache
def may_be_unwritable() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "trial"
        trial.touch()
        with suppress(OSError, subprocess.CalledProcessError), unwritable(trial):
            return _refused(trial)
    return False


def _refused(file: Path) -> bool:
    try:
        with file.open("ab"):
            return False
    except OSError:
        return True


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
