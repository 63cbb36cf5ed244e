"""The files of deploy/ agree with the settings and the programs that they name.

They are read as text: what a container engine makes of them is tried where there is one.
"""

import json
import os
import re
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import resolve
from django.utils.translation import override

from game.management import catalogues
from game.management.commands.serve import GRACE, UVICORN
from game.pages.requests.troubles import AWAY
from tests import services
from tests.game.processes import ROOT, python
from yatzy_site import settings_file
from yatzy_site.connections import IDLE, PatientProtocol
from yatzy_site.deadlines import WHOLE
from yatzy_site.gate import ARRIVE, BODY, RATE

JSON = "application/json"
DEPLOY = ROOT / "deploy"
SETTING = re.compile(r"(?:environment\.\w+|environ\.get)\(\s*\"([A-Z_]+)\"")
FOR_OTHERS = {
    *("SITE", "UPSTREAMS"),  # Caddyfile
    *("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "PGPASSWORD"),  # the image of PostgreSQL
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
    if name == "compose.yaml":
        return set(re.findall(r"^ +([A-Z][A-Z_]+): ", text(name), re.MULTILINE))
    setting = r"^(?=[A-Z_]+=)(.*)$" if name.endswith(".example") else r"^(?:Environment=|ENV )(.*)$"
    lines = re.findall(setting, text(name), re.MULTILINE)
    return {found for line in lines for found in re.findall(r"(?:^|\s)([A-Z][A-Z_]+)=", line)}


@pytest.mark.parametrize(
    "name",
    [
        *("compose.yaml", "Containerfile", "compose.env.example"),
        *("yatzy.service", "yatzy-backup.service", "yatzy.env.example"),
    ],
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
    given = compose_settings() | {"YATZY_METRICS": "127.0.0.1:1", "WEB_CONCURRENCY": "2"}
    checked = python(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **given)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert given["ALLOWED_HOSTS"] == "yatzy.example,localhost"
    assert python(tmp_path, "-c", "import yatzy_site.settings", **compose_settings()).stderr == ""


def test_the_server_is_started_alike_everywhere() -> None:
    """The options include all that this program needs of uvicorn."""
    called = f"{PatientProtocol.__module__}:{PatientProtocol.__name__}"
    assert called in UVICORN
    assert "yatzy_site.asgi:application" in UVICORN
    assert 'CMD ["yatzy", "serve", "--host", "0.0.0.0"]' in text("Containerfile")
    assert ".venv/bin/yatzy serve\n" in text("yatzy.service")
    assert "command: [yatzy, update, --no-copy]" in text("compose.yaml")
    assert not [
        path.name for path in DEPLOY.iterdir() if "yatzy_site.asgi" in path.read_text("utf-8")
    ]


def test_a_unit_ends_later_than_the_server_that_it_ends() -> None:
    for name, stopped in (
        ("yatzy.service", "TimeoutStopSec="),
        ("compose.yaml", "stop_grace_period: "),
    ):
        (seconds,) = re.findall(rf"(?m)^ *{stopped}(4\d)", text(name))
        assert int(seconds) > int(GRACE)


def test_the_proxy_asks_for_what_there_is_and_lets_no_more_in_than_the_gate() -> None:
    health = re.findall(r"health_uri (\S+)", text("Caddyfile"))
    assert [resolve(path).view_name for path in health] == ["livez"]  # which needs no database
    assert "/healthz" in text("Containerfile")
    (size,) = re.findall(r"max_size (\d+)KB", text("Caddyfile"))
    assert int(size) * 1000 == BODY
    (minutes,) = re.findall(r"read_body (\d+)m", text("Caddyfile"))
    assert 60 * int(minutes) > ARRIVE + BODY / RATE
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
    """The user that serves may not write into the checkout."""
    asked = f"-m {catalogues.__name__}"
    assert asked in text("Containerfile").partition(" AS built")[2].partition("\nFROM ")[0]
    assert asked in (ROOT / "Makefile").read_text("utf-8").partition("play: install")[0]
    assert "**/*.mo" in text("Containerfile.dockerignore").splitlines()


def asked(url: str, **headers: str) -> tuple[int, Message, str]:
    """Send a POST, which a proxy that knows of no process refuses at once."""
    request = Request(url, data=b"", headers=headers)
    try:
        with urlopen(request) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read().decode()


@pytest.mark.needs("caddy")
def test_where_no_process_answers_the_proxy_says_what_is_kept_in_the_language_of_the_reader() -> (
    None
):
    with services.folder() as home, services.proxy(services.free_port(), home) as proxy:
        site = proxy.url
        for language, _name in settings.LANGUAGES:
            for headers in (
                {"Accept-Language": f"{language},en"},
                {"Accept-Language": "en", "Cookie": f"{settings.LANGUAGE_COOKIE_NAME}={language}"},
            ):
                status, said, page = asked(f"{site}/games/", **headers)
                assert (status, said["Retry-After"], said["Cache-Control"]) == (
                    503,
                    "5",
                    "no-store",
                )
                assert f'<html lang="{language}">' in page
                with override(language):
                    same = str(AWAY.text).partition(".")[2]  # but of the database
                assert same in page
        status, said, answer = asked(f"{site}/api/v1/advise")
        assert (status, said["Retry-After"], said.get_content_type()) == (503, "5", JSON)
        assert json.loads(answer)["error"]
        with pytest.raises(OSError):  # as without a proxy, where the script goes on by itself
            asked(f"{site}/games/x/hold", **{"HX-Request": "true"})


def test_an_image_takes_nothing_but_what_is_locked() -> None:
    installs = re.findall(r"pip install (.*)", text("Containerfile"))
    assert installs == [
        "--require-hashes --requirement deploy/requirements.txt",
        "--no-deps --no-build-isolation --editable . \\",
    ]


@pytest.mark.needs("caddy")
def test_the_proxy_that_debian_has_understands_its_file() -> None:
    """Its Caddy is 2.6."""
    told = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", "deploy/Caddyfile"],
        cwd=ROOT,
        env={**os.environ, "SITE": "yatzy.example"},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr


@pytest.mark.needs("systemd-analyze")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """The units name a checkout that is not here: other programs stand in for its own."""
    units = [path for path in DEPLOY.iterdir() if path.suffix in {".service", ".timer", ".socket"}]
    for unit in units:
        here = unit.read_text("utf-8").replace("/opt/yatzy/current/.venv/bin/yatzy", "/bin/true")
        (tmp_path / unit.name).write_text(here.replace("/opt/yatzy/current", "/"))
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / one.name) for one in units)],
        capture_output=True,
        text=True,
    )
    assert (told.returncode, [one for one in told.stderr.splitlines() if str(tmp_path) in one]) == (
        0,
        [],
    )


def test_units_and_recipe_speak_of_the_same_files() -> None:
    recipe = (ROOT / "docs" / "small-host.md").read_text("utf-8")
    for timer in DEPLOY.glob("*.timer"):
        assert timer.name in recipe
        assert "Description=Yatzy: " in text(timer.with_suffix(".service").name)
    for unit in DEPLOY.glob("*.service"):
        assert ("OnFailure=yatzy-failed@%N.service" in text(unit.name)) == ("@" not in unit.name)
    assert "ln --symbolic /etc/yatzy.env settings.env" in recipe
    assert "EnvironmentFile" not in text("yatzy.service") + text("yatzy-backup.service")
    for folder in ("/var/lib/yatzy", "/var/backups/yatzy"):
        assert folder in recipe
        assert folder in text("yatzy-backup.service")
    assert "YATZY_VAR=/var/lib/yatzy\n" in text("yatzy.env.example")
    assert settings_file.USUAL == ROOT / "settings.env"


def test_a_failed_unit_reaches_the_address_of_the_settings(settings: Any) -> None:
    settings.ALERT_URL = ""
    call_command("alert", "x")
    with socket.create_server(("127.0.0.1", 0)) as site:
        settings.ALERT_URL = f"http://127.0.0.1:{site.getsockname()[1]}/"

        def answer() -> bytes:
            taken, _where = site.accept()
            with taken:
                got = taken.recv(9999)
                while b"yatzy has" not in got:
                    got += taken.recv(9999)
                taken.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
            return got

        with ThreadPoolExecutor(1) as beside:
            got = beside.submit(answer)
            call_command("alert", "yatzy has failed")
            assert got.result().endswith(b"\r\n\r\nyatzy has failed")
    with pytest.raises(CommandError, match="ALERT_URL"):
        call_command("alert", "x")
