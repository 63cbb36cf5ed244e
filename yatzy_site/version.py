"""The version of the running program: the package's version and the commit of its checkout."""

from importlib.metadata import version
from pathlib import Path

GIT = Path(__file__).resolve().parents[1] / ".git"
LETTERS = 10  # letters of a commit that the version shows


def describe_version() -> str:
    """Return the package's version, and the commit if the checkout has one. The commit is read from
    files, because git refuses a checkout of another user."""
    commit = read_commit(GIT)
    return f"{version('yatzy')} ({commit})" if commit else version("yatzy")


def read_commit(git: Path) -> str:
    """Return the commit that a .git folder has checked out, or "". A release is a worktree, in
    which .git is a file that names the folder."""
    try:
        if git.is_file():
            git = Path(git.read_text().removeprefix("gitdir:").strip())
        head = (git / "HEAD").read_text().strip()
        branch = head.removeprefix("ref: ")
        if branch == head:
            return head[:LETTERS]
        if (git / branch).is_file():
            return (git / branch).read_text()[:LETTERS]
        packed = (git / "packed-refs").read_text().splitlines()
        return next((line[:LETTERS] for line in packed if line.endswith(f" {branch}")), "")
    except OSError:
        return ""
