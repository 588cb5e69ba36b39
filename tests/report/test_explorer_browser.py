"""The explorer in headless Chromium (`nox -s browser`): by mouse, touch and keys, its address and its Python."""

import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("jinja2", reason="the extra cli is not installed")

from omniou import boxes, losses, rotated
from omniou.report import explorer
from tests.report.chromium import CHROMIUM, SIZES, Opened, launched

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")
browser = pytest.fixture(scope="module")(launched)

TURNED = "#a=150,90,350,250,30&b=270,150,470,310,-20&loss=ciou"
APART = "#a=60,60,220,180&b=380,200,560,340&loss=iou"
FIELDS = ("x1", "y1", "x2", "y2", "deg")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("explorer") / "explorer.html"
    file.write_text(explorer.html(), "utf-8")
    return file


def number(text):
    return float(text.replace("\u2212", "-"))


def shown(page):
    """The scores in the table."""
    rows = page.locator("#scores tbody tr").all()
    return {row.get_attribute("data-score"): number(row.locator(".value").inner_text()) for row in rows}


def box(page, name):
    return [number(page.locator(f"#{name}-{field}").input_value()) for field in FIELDS]


def until(page, expression):
    """Wait for it. Chromium would not evaluate it inside the page, whose policy forbids that."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"{expression} did not come true")


def on_screen(page, x, y):
    """A point of the image on the screen."""
    place = page.locator("#stage").bounding_box()
    return place["x"] + x * place["width"] / 640, place["y"] + y * place["height"] / 400


def drag(page, start, end):
    page.mouse.move(*on_screen(page, *start))
    page.mouse.down()
    page.mouse.move(*on_screen(page, *((p + q) / 2 for p, q in zip(start, end, strict=True))))
    page.mouse.move(*on_screen(page, *end))
    page.mouse.up()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", TURNED, APART])
def test_page_opens_in_silence_and_fits(browser, path, size, scheme, fragment):
    with Opened(browser, path, size, scheme, fragment=fragment) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")
        stage = page.locator("#stage").bounding_box()
        assert stage["width"] >= 0.9 * min(SIZES[size]["width"], 560)
        until(page, "document.querySelector('#race-words').textContent")
        # No text is wider than what holds it.
        cut = "[...document.querySelectorAll('td, th, button, label, h1, h2, p:not(.hidden-text), figcaption')]"
        assert page.evaluate(f"{cut}.filter((x) => x.scrollWidth > x.clientWidth + 1 && x.clientWidth).length") == 0


def test_scores_of_the_example(browser, path):
    with Opened(browser, path) as page:
        a, b = np.array([150.0, 90, 350, 250]), np.array([270.0, 150, 470, 310])
        values = shown(page)
        assert values["iou"] == pytest.approx(8000 / 56000, abs=5e-5)
        assert (values["intersection"], values["union"], values["hull"]) == (8000.0, 56000.0, 70400.0)
        for name in ("giou", "diou", "ciou", "probiou"):
            assert values[name] == pytest.approx(float(getattr(boxes, name)(a, b)), abs=5.1e-5), name
        assert values["l1"] == losses.l1(a, b)
        assert page.locator("tr[data-score=iou] .formula").inner_text() == "I / U = 8000 / 56000"


def test_scores_of_turned_boxes(browser, path):
    with Opened(browser, path, fragment=TURNED) as page:
        a = np.array([250.0, 170, 200, 160, np.radians(30.0)])
        b = np.array([370.0, 230, 200, 160, np.radians(-20.0)])
        values = shown(page)
        for name in ("iou", "giou", "diou", "ciou", "probiou"):
            assert values[name] == pytest.approx(float(getattr(rotated, name)(a, b)), abs=5.1e-5), name
        assert "omniou.rotated" in page.locator("#scores caption").inner_text()


def test_drag_by_mouse(browser, path):
    with Opened(browser, path) as page:
        drag(page, (200, 200), (240, 220))
        assert box(page, "a") == [190, 110, 390, 270, 0]
        assert box(page, "b") == [270, 150, 470, 310, 0]
        drag(page, (390, 270), (420, 300))  # the low right corner
        assert box(page, "a") == [190, 110, 420, 300, 0]
        drag(page, (460, 300), (480, 320))  # B, which then has the handles
        assert box(page, "b") == [290, 170, 490, 330, 0]
        drag(page, (290, 170), (300, 200))  # its high left corner
        assert box(page, "b") == [300, 200, 490, 330, 0]
        # Beyond the opposite corner a side ends at 1.
        drag(page, (300, 200), (600, 390))
        assert box(page, "b") == [489, 329, 490, 330, 0]


def test_turn_by_mouse(browser, path):
    with Opened(browser, path) as page:
        knob = page.locator(".tools.active .hit.turn").bounding_box()
        x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(*on_screen(page, 350, 170))  # right of the centre: a quarter turn
        page.mouse.up()
        assert box(page, "a") == [150, 90, 350, 250, 90]
        assert shown(page)["iou"] == pytest.approx(
            float(rotated.iou([250.0, 170, 200, 160, np.pi / 2], [370, 230, 200, 160, 0])), abs=5.1e-5
        )


def test_box_stays_in_the_image(browser, path):
    with Opened(browser, path) as page:
        drag(page, (200, 200), (200, 200))
        page.mouse.move(*on_screen(page, 200, 200))
        page.mouse.down()
        page.mouse.move(5, 5)
        page.mouse.up()
        x1, y1, x2, y2, _ = box(page, "a")
        assert ((x1 + x2) / 2 >= 0, (y1 + y2) / 2 >= 0) == (True, True)


def test_drag_by_touch(browser, path):
    with Opened(browser, path, "phone", has_touch=True) as page:
        session = page.context.new_cdp_session(page)

        def touch(kind, *at):
            points = [dict(zip("xy", on_screen(page, *at), strict=True))] if at else []
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", 200, 200)
        touch("touchMove", 220, 210)
        touch("touchMove", 260, 240)
        touch("touchEnd")
        moved = np.array(box(page, "a"))
        assert np.abs(moved - [210, 130, 410, 290, 0]).max() <= 2  # a pixel of the screen is 1.7 of the image
        # A finger beside the corner is near enough.
        touch("touchStart", moved[2] + 12, moved[3] + 8)
        touch("touchMove", moved[2] + 52, moved[3] + 38)
        touch("touchEnd")
        assert np.abs(box(page, "a") - moved - [0, 0, 40, 30, 0]).max() <= 2
        # Beside the boxes the page scrolls.
        assert page.locator("#stage").evaluate("x => getComputedStyle(x).touchAction") == "auto"
        assert page.locator(".box.a polygon").first.evaluate("x => getComputedStyle(x).touchAction") == "none"


def test_move_by_keys(browser, path):
    with Opened(browser, path) as page:
        for _ in range(2):  # the link to the scores, then the first box
            page.keyboard.press("Tab")
        names = "document.activeElement.dataset.box"
        assert page.evaluate(names) == "a"
        page.keyboard.press("Tab")
        assert page.evaluate(names) == "b"
        page.locator(".box.a").focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowUp"):
            page.keyboard.press(key)
        assert box(page, "a") == [160, 95, 365, 250, 0]
        for key in ("]", "]", "["):
            page.keyboard.press(key)
        assert box(page, "a") == [160, 95, 365, 250, 5]
        page.keyboard.press("[")
        assert box(page, "a")[4] == 0
        # The focus is seen, and what it is on is said.
        ring = page.locator(".box.a .ring")
        assert ring.evaluate("x => getComputedStyle(x).display") == "inline"
        name = "Box A: left 160, top 95, right 365, bottom 250, turned by 0 degrees"
        assert page.get_by_role("application", name=name).count() == 1


def test_numbers_are_typed_and_bad_ones_are_refused(browser, path):
    with Opened(browser, path) as page:
        page.locator("#a-x2").fill("300.5")
        assert shown(page)["iou"] == pytest.approx(
            float(boxes.iou([150.0, 90, 300.5, 250], [270, 150, 470, 310])), abs=5.1e-5
        )
        before = shown(page)
        for words in ("", "100", "1e9"):
            page.locator("#a-x2").fill(words)
            assert page.locator("#a-x2").get_attribute("aria-invalid") == "true"
            assert page.locator("#told").is_visible()
            assert shown(page) == before
        page.locator("#b-x1").focus()
        assert page.locator("#a-x2").input_value() == "300.5"
        assert not page.locator("#told").is_visible()


def test_address_goes_round(browser, path):
    with Opened(browser, path) as page:
        page.locator(".box.a").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("]")
        page.locator("input[value=probiou]").check(force=True)
        until(page, "location.hash.includes('probiou')")
        address, values = page.url, shown(page)
        assert address.endswith("#a=145,90,345,250,5&b=270,150,470,310&loss=probiou")
    with Opened(browser, path, fragment="#" + address.partition("#")[2]) as page:
        assert shown(page) == values
        assert page.locator("input[value=probiou]").is_checked()
        page.evaluate("location.hash = '#a=0,0,10,10&b=5,5,15,15&loss=iou'")
        until(page, "document.querySelector('#a-x2').value === '10'")
        assert shown(page)["iou"] == pytest.approx(25 / 175, abs=5e-5)


@pytest.mark.parametrize(
    "fragment",
    [
        "#a=1,2,3&b=0,0,1,1",
        "#a=0,0,10,10",
        "#a=9,0,1,10&b=0,0,1,1",
        "#a=x,0,1,10&b=0,0,1,1",
        "#a=0,0,1e300,10&b=0,0,1,1",
        "#a=0,0,1,1&b=0,0,1,1&loss=<b>",
        "#a=%&b=0,0,1,1",
        "#a=0,0,1,&b=0,0,1,1",
        "#a=0,0,1,1&b=0,0,1,1&loss=toString",
    ],
)
def test_bad_address_is_left_out_with_a_note(browser, path, fragment):
    with Opened(browser, path, fragment=fragment) as page:
        assert "The address is not understood" in page.locator("#told").inner_text()
        assert box(page, "a") == [150, 90, 350, 250, 0]
        assert shown(page)["iou"] == pytest.approx(1 / 7, abs=5e-5)


def test_address_of_a_heading_is_no_state(browser, path):
    with Opened(browser, path, fragment="#h-race") as page:
        assert not page.locator("#told").is_visible()


@pytest.mark.parametrize("fragment", ["", TURNED, APART, "#a=0,0,10.25,20&b=0,0,10.25,20,0"])
def test_python_of_the_page_prints_its_numbers(browser, path, fragment):
    with Opened(browser, path, fragment=fragment) as page:
        code, values = page.locator("#python").inner_text(), shown(page)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    printed = {name: float(x) for name, x in re.findall(r"^(\w+) (\S+)$", done.stdout, re.MULTILINE)}
    assert printed == values


def test_python_is_copied(browser, path):
    with Opened(browser, path, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator("#copy").click()
        until(page, "document.querySelector('#copy').textContent === 'Copied'")
        assert page.evaluate("navigator.clipboard.readText()") == page.locator("#python").inner_text()
        page.locator("#link").click()
        until(page, "document.querySelector('#link').textContent === 'Copied'")
        assert "#a=150,90,350,250&b=" in page.evaluate("navigator.clipboard.readText()")


def test_gradient_of_iou_vanishes_when_boxes_part(browser, path):
    with Opened(browser, path, fragment=APART) as page:
        words, arrows = page.locator("#gradient"), page.locator(".arrow").last
        assert "the gradient is 0" in words.inner_text()
        assert arrows.get_attribute("d") == ""
        page.locator("input[value=giou]").check(force=True)
        assert "still draws them together" in words.inner_text()
        assert arrows.get_attribute("d").count("M") == 8
        page.locator("input[value=none]").check(force=True)
        assert arrows.get_attribute("d") == ""


def test_presets_have_one_distance_and_many_overlaps(browser, path):
    with Opened(browser, path) as page:
        until(page, "document.querySelector('#distance').textContent")
        found, distance = [], number(page.locator("#distance").inner_text())
        for k in range(6):
            button = page.locator("#presets button").nth(k)
            said = number(button.locator("b").inner_text().removeprefix("IoU "))
            button.click()
            values = shown(page)
            assert values["l2"] == pytest.approx(distance, abs=0.05)
            assert values["iou"] == pytest.approx(said, abs=6e-4)
            found.append(said)
            page.wait_for_timeout(100)
            assert "The long line is yours" in page.locator("#strip-words").inner_text()
        assert max(found) - min(found) > 0.4


def test_click_on_a_dot_takes_its_pair(browser, path):
    with Opened(browser, path) as page:
        page.locator("#scatter").scroll_into_view_if_needed()
        place = page.locator("#scatter").bounding_box()
        page.mouse.click(place["x"] + 0.45 * place["width"], place["y"] + 0.36 * place["height"])
        values = shown(page)
        assert 0.2 < values["iou"] < 0.6
        assert f"IoU {values['iou']:.4f}" in page.locator("#scatter-words").inner_text()
        x, y = (float(page.locator("#scatter .now").get_attribute(name)) for name in ("cx", "cy"))
        assert (x, y) == pytest.approx((70 + 394 * values["iou"], 144 - 132 * values["giou"]), abs=0.05)


def test_race_plays_pauses_and_resets(browser, path):
    with Opened(browser, path, fragment=APART) as page:
        until(page, "document.querySelector('#race-words').textContent")
        assert "IoU stands still" in page.locator("#race-words").inner_text()
        play, step = page.locator("#play"), "Number(document.querySelector('#step').value)"
        play.click()
        until(page, f"{step} > 10")
        assert play.inner_text() == "Pause"
        play.click()
        at = page.evaluate(step)
        page.wait_for_timeout(150)
        assert page.evaluate(step) == at
        page.locator("#rewind").click()
        assert page.evaluate(step) == 0
        page.locator("#step").fill("240")
        rows = page.locator("#standings tbody tr").all()
        iou = {row.get_attribute("data-loss"): row.locator("td").first.inner_text() for row in rows}
        assert iou["iou"] == "0.000"
        assert all(float(iou[name]) > 0.99 for name in ("l1", "l2", "diou", "ciou", "probiou"))


def test_race_of_reduced_motion_shows_the_end(browser, path):
    with Opened(browser, path, reduced_motion="reduce") as page:
        until(page, "document.querySelector('#race-words').textContent")
        page.locator("#play").click()
        assert page.locator("#step").input_value() == "240"
        assert page.locator("#play").inner_text() == "Play"


def test_buttons_of_examples(browser, path):
    with Opened(browser, path, fragment=TURNED) as page:
        page.locator("#upright").click()
        assert (box(page, "a")[4], box(page, "b")[4]) == (0, 0)
        page.locator("#apart").click()
        assert shown(page)["iou"] == 0
        page.locator("#random").click()
        assert box(page, "a") != [60, 60, 220, 180, 0]
        page.locator("#reset").click()
        assert box(page, "a") == [150, 90, 350, 250, 0]
