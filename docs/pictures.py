"""Takes the picture of the report for report.md: `python docs/pictures.py` (by playwright, Pillow and Chromium)."""

import io
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import figures

IMAGES = figures.HERE / "images"
WIDTH = 1100  # six tiles in a row


def take():
    from PIL import Image
    from playwright.sync_api import sync_playwright

    figures.make()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto((figures.PAGES / "omniou-report.html").as_uri())
        # The part that shows most: from the numbers to the end of the curves.
        top, bottom = (page.locator("h2", has_text=name).first.bounding_box()["y"] for name in ("Numbers", "Classes"))
        clip = {"x": 0, "y": top - 12, "width": WIDTH, "height": bottom - top - 12}
        shot = page.screenshot(full_page=True, clip=clip)
        browser.close()
    IMAGES.mkdir(exist_ok=True)
    # A page has few colours: a palette of 128 is a third of the size.
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(IMAGES / "report.png", optimize=True)


if __name__ == "__main__":
    take()
