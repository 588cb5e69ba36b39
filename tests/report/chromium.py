"""Pages in headless Chromium, and all that they did."""

import shutil

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SIZES = {
    "phone": {"width": 400, "height": 800},
    "tablet": {"width": 1000, "height": 800},
    "desktop": {"width": 1280, "height": 900},
    "wide": {"width": 1600, "height": 1000},
}


def launched():
    """A browser, for a fixture."""
    with playwright.sync_playwright() as driver:
        # Where tests run as root, as in containers, Chromium has no sandbox.
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


class Opened:
    """A page, and all that it did."""

    def __init__(self, browser, path, size="desktop", scheme="light", *, fragment="", **context):
        self.context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, accept_downloads=True, **context)
        self.page = self.context.new_page()
        self.told, self.requests = [], []
        self.page.on("console", lambda x: self.told.append(x.text))
        self.page.on("pageerror", lambda x: self.told.append(str(x)))
        self.page.on("dialog", lambda x: (self.told.append(f"dialog: {x.message}"), x.dismiss()))
        self.page.on("request", lambda x: self.requests.append(x.url))
        self.page.goto(path.as_uri() + fragment)

    def __enter__(self):
        return self.page

    def __exit__(self, *_):
        self.page.wait_for_timeout(50)
        self.context.close()
        assert self.told == []
        assert len(self.requests) == 1
        assert self.requests[0].startswith("file:")
