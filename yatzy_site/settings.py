"""Every setting, read from the environment. docs/operating.md lists the variables."""

import os
from pathlib import Path

import dj_database_url
from django.utils.translation import gettext_lazy as _

from yatzy_site import environment

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("YATZY_VAR", BASE_DIR / "var"))

DEBUG = environment.flag("DEBUG", default=False)
SECRET_KEY = environment.secret_key(VAR_DIR / "secret_key")
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = environment.words("CSRF_TRUSTED_ORIGINS", default=[])

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
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "yatzy_site.middleware.content_security_policy",
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
    "game.web.middleware.visitors",
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
                "game.web.context.visitor",
            ],
        },
    },
]

DATABASES = {
    # Under ASGI a request has a thread, and so a connection, of its own: none may outlive it.
    "default": dj_database_url.config(
        default=f"sqlite:///{VAR_DIR / 'yatzy.sqlite3'}", conn_max_age=0
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    # Writers queue up for the lock instead of failing, readers never wait for them.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "")
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL]},
    }
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}

# Holds the counters of the API's limits and nothing that must survive.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
API_REQUESTS_A_MINUTE = environment.whole("API_REQUESTS_A_MINUTE", default=120)

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
    "staticfiles": {"BACKEND": "yatzy_site.storage.CollectedOrPlain"},
}
WHITENOISE_USE_FINDERS = DEBUG or not (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS  # looks for the folder when it is asked

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
CSRF_FAILURE_VIEW = "game.views.errors.csrf_failure"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "play"
LOGOUT_REDIRECT_URL = "play"

HTTPS = environment.flag("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"

# What is missing of the tables is made in the background, by a process of its own.
MAKE_TABLES = environment.flag("MAKE_TABLES", default=True)
YATZY_TABLES = Path(os.environ.get("YATZY_TABLES", VAR_DIR / "tables"))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}
