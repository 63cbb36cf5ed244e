from tests.crawl.conftest import world

__all__ = ["world"]
