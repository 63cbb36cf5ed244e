"""The files of deploy/ agree with the settings and the programs that they name.

They are read as text: what a container engine makes of them is tried where there is one.
"""

import re
from pathlib import Path

import pytest
from django.urls import resolve

from game.management import catalogues
from game.management.serving import WORD
from tests.game.processes import ROOT, python
from yatzy_site.bodies import BODY, seconds_for
from yatzy_site.connections import IDLE, PatientProtocol
from yatzy_site.deadlines import WHOLE

DEPLOY = ROOT / "deploy"
SETTING = re.compile(r"(?:environment\.\w+|environ\.get)\(\s*\"([A-Z_]+)\"")
FOR_OTHERS = {
    *("SITE", "UPSTREAMS"),  # Caddyfile
    *("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"),  # the image of PostgreSQL
    *("FORWARDED_ALLOW_IPS", "WEB_CONCURRENCY"),  # uvicorn
    *("PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"),
    *("PIP_NO_CACHE_DIR", "PIP_DISABLE_PIP_VERSION_CHECK"),
}


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def read_by_the_program() -> set[str]:
    sources = [*(ROOT / "yatzy_site").rglob("*.py"), *(ROOT / "solver").rglob("*.py")]
    found = {name for path in sources for name in SETTING.findall(path.read_text("utf-8"))}
    # Read by a function of its own, and by dj_database_url.
    return found | {"SECRET_KEY", "DATABASE_URL"}


def assigned(name: str) -> set[str]:
    """The variables that a file of deploy/ sets."""
    if name == "compose.yaml":
        return set(re.findall(r"^ +([A-Z][A-Z_]+): ", text(name), re.MULTILINE))
    setting = r"^(?=[A-Z_]+=)(.*)$" if name.endswith(".example") else r"^(?:Environment=|ENV )(.*)$"
    lines = re.findall(setting, text(name), re.MULTILINE)
    return {found for line in lines for found in re.findall(r"(?:^|\s)([A-Z][A-Z_]+)=", line)}


@pytest.mark.parametrize(
    "name",
    ["compose.yaml", "Containerfile", "yatzy.service", "compose.env.example", "yatzy.env.example"],
)
def test_every_variable_that_is_set_is_read_by_somebody(name: str) -> None:
    found = assigned(name)
    assert found
    assert found - read_by_the_program() - FOR_OTHERS == set()


def test_every_setting_is_in_the_handbook_and_everything_in_it_is_a_setting() -> None:
    handbook = (ROOT / "docs" / "operating.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `([A-Z_]+)` \|", handbook, re.MULTILINE))
    assert read_by_the_program() - {"WEB_CONCURRENCY", "NUMBA_CACHE_DIR"} == listed


def test_compose_asks_for_what_its_example_has() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", text("compose.yaml")))
    assert asked == assigned("compose.env.example")
    caddy = set(re.findall(r"\{\$([A-Z_]+)", text("Caddyfile")))
    assert caddy <= assigned("compose.yaml")


def compose_settings() -> dict[str, str]:
    """As a process is given them, with the example filled in."""
    block = text("compose.yaml").partition("&settings\n")[2].partition("  volumes:")[0]
    facts = dict(re.findall(r"^    ([A-Z_]+): (.*)$", block, re.MULTILINE))
    given = {"SITE": "yatzy.example", "SECRET_KEY": "0123456789abcdefghij" * 3}

    def filled(found: re.Match[str]) -> str:
        return given.get(found.group(1), "secret")

    return {
        name: re.sub(r"\$\{([A-Z_]+)[^}]*\}", filled, value).strip('"')
        for name, value in facts.items()
    }


@pytest.mark.usefixtures("yatzy_tables")
def test_a_process_of_compose_is_safe_to_serve(tmp_path: Path) -> None:
    settings = compose_settings() | {"YATZY_METRICS": "127.0.0.1:1", "WEB_CONCURRENCY": "2"}
    checked = python(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **settings
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert settings["ALLOWED_HOSTS"] == "yatzy.example,localhost"
    assert python(tmp_path, "-c", "import yatzy_site.settings", **compose_settings()).stderr == ""


def uvicorn(command: str) -> list[str]:
    """What it is called with, but for where it listens."""
    said = re.sub(r"[\"\[\],\\]", " ", command).split()
    options = [f"{name} {value}" for name, value in zip(said[1::2], said[2::2], strict=True)]
    return [said[0], *(one for one in options if not one.startswith("--host"))]


def test_uvicorn_is_called_alike_everywhere() -> None:
    container = uvicorn(text("Containerfile").partition('CMD ["uvicorn"')[2])
    unit = text("yatzy.service").partition(".venv/bin/uvicorn")[2]
    assert container == uvicorn(unit.partition("Restart=")[0])
    called = f"{PatientProtocol.__module__}:{PatientProtocol.__name__}"
    assert container[0] == "yatzy_site.asgi:application"
    assert f"--http {called}" in container
    assert f"--ws-max-size {WORD}" in container


def test_the_proxy_asks_for_what_there_is_and_lets_no_more_in_than_the_gate() -> None:
    health = re.findall(r"health_uri (\S+)", text("Caddyfile"))
    assert [resolve(path).view_name for path in health] == ["livez"]  # which needs no database
    assert "/healthz" in text("Containerfile")
    (size,) = re.findall(r"max_size (\d+)KB", text("Caddyfile"))
    assert int(size) * 1000 == BODY
    (minutes,) = re.findall(r"read_body (\d+)m", text("Caddyfile"))
    assert 60 * int(minutes) > seconds_for(BODY)
    (patience,) = re.findall(r"response_header_timeout (\d+)s", text("Caddyfile"))
    assert int(patience) > WHOLE


def test_the_proxy_hangs_up_sooner_than_a_process_does() -> None:
    (idle,) = re.findall(r"^\s*keepalive (\d+)s$", text("Caddyfile"), re.MULTILINE)
    assert int(idle) < IDLE


def test_images_have_short_names_and_no_registrys_address() -> None:
    images = re.findall(
        r"^ *(?:image:|FROM) (\S+)", text("compose.yaml") + text("Containerfile"), re.M
    )
    assert {"postgres:17", "redis:7", "caddy:2", "yatzy", "python:3.11-slim"} == set(images)


def test_only_the_proxy_can_be_reached() -> None:
    services = re.split(
        r"^  (?=\w+:)", text("compose.yaml").partition("\nservices:")[2], flags=re.M
    )
    publishing = [one.partition(":")[0] for one in services if re.search(r"^    ports:", one, re.M)]
    assert publishing == ["proxy"]
    assert "internal: true" in text("compose.yaml")


def test_the_container_is_small_and_not_roots() -> None:
    made = text("Containerfile").rpartition("\nFROM ")[2]
    assert "\nUSER yatzy\n" in made
    assert "[dev]" not in text("Containerfile")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text("Containerfile"), re.MULTILINE):
        for name in line.split()[:-1]:
            assert (ROOT / name).exists(), name
            assert f"!{name}\n" in text("Containerfile.dockerignore")


def test_translations_are_compiled_where_the_checkout_is_made() -> None:
    """Whoever serves may not write into it."""
    asked = f"-m {catalogues.__name__}"
    assert asked in text("Containerfile").partition(" AS built")[2].partition("\nFROM ")[0]
    assert asked in (ROOT / "Makefile").read_text("utf-8").partition("play: install")[0]
    assert "**/*.mo" in text("Containerfile.dockerignore").splitlines()
