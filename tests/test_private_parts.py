"""Tests of undocumented parts of other packages that the site uses: file, name and parameters.

If a new release changes such a part, a test here fails and names it, before a player sees an error.
"""

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("game", "solver", "yatzy_site")
# These modules have no documentation for programs, or hardly any.
UNPROMISED = re.compile(
    r"^ *(?:from|import) (channels\.(?:consumer|security)|channels_redis|uvicorn|whitenoise"
    r"|django\.(?:core\.handlers|db\.(?:backends|models\.(?:query|sql))|http\.request))\b",
    re.MULTILINE,
)
KEPT = "kept in the object"  # not a function: a name that its methods set
USED: dict[str, dict[str, dict[str, str]]] = {
    "game/pages/sockets/common.py": {
        "channels.consumer": {"get_handler_name": "message"},
        "channels.consumer:AsyncConsumer": {"dispatch": "self, message"},
    },
    "game/core/prepared.py": {
        "django.db.models.sql:Query": {
            "get_compiler": "self, using=None, connection=None, elide_empty=True"
        },
        "django.db.models.sql.compiler:SQLCompiler": {
            "as_sql": "self, with_limits=True, with_col_aliases=False",
            "get_converters": "self, expressions",
            "apply_converters": "self, rows, converters",
            "select": KEPT,
            "col_count": KEPT,
            "connection": KEPT,
        },
        "django.db.utils:ConnectionHandler": {"create_connection": "self, alias"},
    },
    "game/pages/requests/forms.py": {
        "django.contrib.auth.forms:SetPasswordMixin": {
            "create_password_fields": "label1='Password', label2='Password confirmation'"
        }
    },
    "game/pages/requests/live.py": {
        "channels.layers:InMemoryChannelLayer": {"_clean_expired": "self", "groups": KEPT}
    },
    "yatzy_site/connections.py": {
        "uvicorn.protocols.http.h11_impl:H11Protocol": {
            "connection_made": "self, transport",
            "connection_lost": "self, exc",
            "handle_events": "self",
            "handle_websocket_upgrade": "self, event",
            "timeout_keep_alive": KEPT,
            "cycle": KEPT,
            "loop": KEPT,
            "transport": KEPT,
        }
    },
    "yatzy_site/layer.py": {
        "channels_redis.core:RedisChannelLayer": {
            "create_pool": "self, index",
            "receive_single": "self, channel",
            "hosts": KEPT,
        }
    },
    "yatzy_site/middleware.py": {"django.core.handlers.asgi": {"ASGIRequest": "scope, body_file"}},
    "yatzy_site/sockets.py": {
        "channels.security.websocket": {"WebsocketDenier": "*args, **kwargs"},
        "django.http.request": {
            "split_domain_port": "host",
            "validate_host": "host, allowed_hosts",
        },
    },
    "yatzy_site/pages.py": {
        "django.core.handlers.asgi": {"get_script_prefix": "scope"},
        "django.core.handlers.asgi:ASGIHandler": {
            "load_middleware": "self, is_async=False",
            "create_request": "self, scope, body_file",
            "get_response": "self, request",
            "send_response": "self, response, send",
            "chunk_size": KEPT,
        },
        "django.http.response:HttpResponseBase": {"_handler_class": KEPT},
    },
    "yatzy_site/postgresql/base.py": {
        "django.db.backends.postgresql.base:DatabaseWrapper": {
            "get_connection_params": "self",
            "get_new_connection": "self, conn_params",
            "isolation_level": KEPT,
            "pool": KEPT,
        }
    },
    "yatzy_site/sqlite/base.py": {
        "django.db.backends.sqlite3.base:DatabaseWrapper": {
            "get_new_connection": "self, conn_params"
        }
    },
    "yatzy_site/static_files.py": {
        "whitenoise.middleware:WhiteNoiseMiddleware": {"serve": "static_file, request"},
        "whitenoise.storage:CompressedManifestStaticFilesStorage": {
            "compress_files": "self, paths",
            "hashed_files": KEPT,
        },
    },
}


@pytest.mark.parametrize("file", USED)
def test_what_a_file_uses_without_a_promise_is_as_it_was(file: str) -> None:
    text = (ROOT / file).read_text()
    for owner, names in USED[file].items():
        found = {name: kind(resolve_name(owner), name) for name in names}
        assert found == names, f"{file} uses it of {owner}"
        assert [name for name in names if name not in text] == []


def kind(owner: Any, name: str) -> str:
    if name not in vars(owner) and not hasattr(owner, name):
        return KEPT if sets(owner, name) else "gone"
    found = getattr(owner, name)
    return parameters(found) if callable(found) else KEPT


def sets(owner: type, name: str) -> bool:
    written = rf"\bself\.{name}\b[^=\n]* = "
    return any(re.search(written, inspect.getsource(one)) for one in owner.__mro__[:-1])


def parameters(function: Any) -> str:
    bare = [
        one.replace(annotation=one.empty) for one in inspect.signature(function).parameters.values()
    ]
    return ", ".join(map(str, bare))


def test_whatever_imports_from_where_nothing_is_promised_is_listed() -> None:
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if UNPROMISED.search(file.read_text())}
    assert found - USED.keys() == set()
