"""All settings, read from the environment. docs/operating.md lists the variables."""

import os
import sys
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from yatzy_site import environment, logs, passwords, settings_file, shared
from yatzy_site.version import describe_version

SETTINGS_FILE, OTHERWISE = settings_file.read()  # before any other setting is read
BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("YATZY_VAR", BASE_DIR / "var"))

DEBUG = environment.read_flag("DEBUG", default=False)
SECRET_KEY = environment.load_secret_key(VAR_DIR / "secret_key")
KEY_IS_MADE = not os.environ.get("SECRET_KEY", "").strip()
KEY_IS_EMPTY = KEY_IS_MADE and "SECRET_KEY" in os.environ
PROCESSES = environment.count_processes(sys.argv)
ALLOWED_HOSTS = environment.read_list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
FILE_UPLOAD_MAX_MEMORY_SIZE = 8_000_000  # bytes; an archive is then never on the disk
CSRF_TRUSTED_ORIGINS = environment.read_list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "game",
    "game.lab",
    "game.trials",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "yatzy_site.middleware.add_security_policy",
    "yatzy_site.middleware.refuse_unreadable",
    "yatzy_site.static_files.StaticFiles",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "game.pages.requests.middleware.Visitors",
    "yatzy_site.middleware.refuse_late",
]
ROOT_URLCONF = "yatzy_site.urls"
ASGI_APPLICATION = "yatzy_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "game.pages.requests.middleware.visitor",
            ],
            "libraries": {
                "drawing": "game.pages.board.drawing",
                "numbers": "game.pages.board.numbers",
            },
        },
    }
]

DATABASES = {"default": environment.read_database(default=f"sqlite:///{VAR_DIR / 'yatzy.sqlite3'}")}
SQLITE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
if SQLITE:
    environment.require_writable(VAR_DIR)
    # A writer waits while another writer has the lock. Readers never wait.
    DATABASES["default"]["ENGINE"] = "yatzy_site.sqlite"
    # Each permanent thread has a permanent connection: opening a connection reads the whole schema,
    # and closing the last one waits until all writes are on the disk.
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 8,  # seconds; a request may wait ten
        # synchronous=FULL: a committed write survives a power cut. NORMAL does not promise this.
        # secure_delete: deleted data is overwritten. Not every SQLite does this by default.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
        ),
    }
# With more threads, requests would wait for the database and for each other, instead of in the
# queue in front of the pages.
REQUESTS_AT_ONCE = environment.read_integer("REQUESTS_AT_ONCE", default=2 if SQLITE else 16)
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"]["ENGINE"] = "yatzy_site.postgresql"  # this backend limits all waits
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = shared.configure_pool(REQUESTS_AT_ONCE)
    # Without these checks, each old connection fails one request after a restart of PostgreSQL.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "")
CHANNEL_LAYERS = {"default": shared.configure_channel_layer(REDIS_URL)}

# The cache holds counters of rate limits. Nothing in it must survive a restart.
CACHES = {"default": shared.configure_cache(REDIS_URL), "process": shared.configure_cache("")}
# Limits per client. They are high, because a class behind one address counts as one client.
API_REQUESTS_A_MINUTE = environment.read_integer("API_REQUESTS_A_MINUTE", default=120)
STARTS_A_MINUTE = environment.read_integer("STARTS_A_MINUTE", default=600)
PLAYERS_A_MINUTE = environment.read_integer("PLAYERS_A_MINUTE", default=300)
SOCKETS_A_CLIENT = environment.read_integer("SOCKETS_A_CLIENT", default=1000)  # per process
SOCKETS = environment.read_integer("SOCKETS", default=10_000)  # per process, all clients
# With fewer free megabytes, the site stores only moves of running games.
DISK_RESERVE_MB = environment.read_integer("DISK_RESERVE_MB", default=200)
LOGIN_FAILURES = environment.read_integer("LOGIN_FAILURES", default=10)
LOGIN_WINDOW = 600  # seconds
COPIES_DAYS = environment.read_integer("COPIES_DAYS", default=30)

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("sv", _("Swedish")),
    ("nb", _("Norwegian bokmål")),
    ("da", _("Danish")),
    ("fi", _("Finnish")),
]
LOCALE_PATHS = [BASE_DIR / "game" / "locale"]
FORMAT_MODULE_PATH = "yatzy_site.formats"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "yatzy_site.static_files.CollectedOrPlain"},
}
WHITENOISE_USE_FINDERS = DEBUG or not (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS  # WhiteNoise looks for each file at every request

PASSWORD_HASHERS = passwords.HASHERS
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
CSRF_FAILURE_VIEW = "game.pages.error_views.csrf_failure"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "play"
LOGOUT_REDIRECT_URL = "play"

HTTPS = environment.read_flag("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Programs on this machine request these addresses without using the proxy.
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^healthz$", r"^readyz$"]
# The operator decides about subdomains and the preload lists of browsers (W005, W021).
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"

VERSION = describe_version()

# The contact for reports of faults: a mail address or a page.
SUPPORT = environment.read_contact("SUPPORT")
OPERATOR = os.environ.get("OPERATOR", "").strip()  # name on the privacy page
ALERT_URL = environment.read_contact("ALERT_URL")  # gets the failures of systemd units
INDEXED = environment.read_flag("INDEXED", default=True)  # search engines may list the site

# Whether this process runs the bots of duels, and how many seconds a bot pretends to think.
DUEL_BOTS = environment.read_flag("DUEL_BOTS", default=True)
DUEL_PACE = environment.read_integer("DUEL_PACE", default=600) / 1000

# Push services that may deliver reminders. Addresses at other services are refused.
PUSH_SERVICES = environment.read_list(
    "PUSH_SERVICES",
    default=[
        "fcm.googleapis.com",
        "push.services.mozilla.com",
        "notify.windows.com",
        "push.apple.com",
    ],
)

# Whether a background process solves the rulesets whose tables are missing.
MAKE_TABLES = environment.read_flag("MAKE_TABLES", default=True)
YATZY_TABLES = Path(os.environ.get("YATZY_TABLES", VAR_DIR / "tables"))

LOGGING = logs.make_log_settings(
    os.environ.get("LOG_LEVEL", "WARNING"), environment.read_choice("YATZY_LOG", allowed=["json"])
)
METRICS = environment.read_address("YATZY_METRICS")
if METRICS:
    MIDDLEWARE.insert(0, "yatzy_site.middleware.store_view_name")
