from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedOrPlain(CompressedManifestStaticFilesStorage):
    """Hashed names once the static files are collected, plain ones before (tests, development)."""

    def url(self, name: str | None, force: bool = False) -> str:
        if self.hashed_files:
            return str(super().url(name, force))
        return StaticFilesStorage.url(self, name)
