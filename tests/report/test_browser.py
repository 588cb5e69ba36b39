"""A page in headless Chromium (`nox -s browser`): it opens from a file, asks for nothing, works by mouse and keys."""

import json
import re

import pytest

from omniou import detection, report

pytest.importorskip("jinja2", reason="the extra cli is not installed")

from tests.report.chromium import CHROMIUM, SIZES, Opened, launched
from tests.report.pages import NAMES, SCRIPT, evaluated, recorded
from tests.report.test_kind_pages import of_pens

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")
browser = pytest.fixture(scope="module")(launched)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    results = evaluated(), evaluated(shift=4.0)
    models = {SCRIPT: results[0], "second": results[1], "third": evaluated(shift=2.0)}
    (folder / "one.html").write_text(report.html(recorded(results[0])), "utf-8")
    (folder / "three.html").write_text(report.html(report.compare(models, samples=20)), "utf-8")
    return folder


def column(page, number):
    rows = page.locator("#per-class tbody tr:visible")
    return [row.locator("th, td").nth(number).inner_text() for row in rows.all()]


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["one", "three"])
def test_page_opens_in_silence_and_fits(browser, files, size, scheme, name):
    with Opened(browser, files / f"{name}.html", size, scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
        assert page.locator("h1").is_visible()
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") == (scheme == "light")
        # The policy lets the style sheet in.
        assert page.locator(".pair").first.evaluate("x => getComputedStyle(x).display") == "grid"


def test_names_stay_text(browser, files):
    with Opened(browser, files / "one.html") as page:
        page.locator("[data-shows]").check()
        assert column(page, 0) == list(NAMES.values())
        assert page.locator("#warnings strong").first.inner_text() == SCRIPT
        assert page.evaluate("document.images.length") == 0
        assert page.evaluate("document.scripts.length") == 2
        options = page.locator("#pick-0 option").all_inner_texts()
        assert options == ["none", *list(NAMES.values())[:3]]  # the last class has no objects


def test_policy_stops_a_script_that_got_in(browser, files, tmp_path):
    text = (files / "one.html").read_text("utf-8")
    (tmp_path / "bad.html").write_text(
        text.replace("</main>", "<script>document.title = 'run'</script></main>"), "utf-8"
    )
    opened = Opened(browser, tmp_path / "bad.html")
    assert opened.page.title() != "run"
    assert any("Content Security Policy" in x for x in opened.told)
    opened.context.close()


def test_sorting_by_mouse(browser, files):
    with Opened(browser, files / "one.html") as page:
        page.locator("[data-shows]").check()
        head = page.locator("#per-class thead th").nth(2)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        falling = column(page, 2)
        assert falling[-1] == "\u2013"  # no data comes last, whichever way
        assert falling[:3] == sorted(falling[:3], reverse=True)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        rising = column(page, 2)
        assert rising == [*falling[:3][::-1], "\u2013"]
        other = page.locator("#per-class thead th").nth(0)
        other.locator("button").click()
        assert (head.get_attribute("aria-sort"), other.get_attribute("aria-sort")) == ("none", "ascending")


def test_sorting_and_filtering_by_keys(browser, files):
    with Opened(browser, files / "one.html") as page:
        page.locator("#filter").focus()
        page.keyboard.type("SCRIPT")
        assert column(page, 0) == [SCRIPT, NAMES[3]]
        assert page.locator("#per-class-count").inner_text() == "2 of 4 classes"
        for _ in range(3):  # the switch, the region that scrolls, then its first heading
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == "BUTTON"
        page.keyboard.press("Enter")
        assert page.locator("#per-class thead th").first.get_attribute("aria-sort") == "ascending"
        first = column(page, 0)
        page.keyboard.press("Space")
        assert column(page, 0) == first[::-1]
        page.locator("#filter").fill("")
        assert len(column(page, 0)) == 3


def test_rows_without_data_wait_for_a_switch_or_for_their_name(browser, files):
    with Opened(browser, files / "one.html") as page:
        told, switch = page.locator("#per-class-count"), page.locator("[data-shows]")
        assert (len(column(page, 0)), told.inner_text()) == (3, "3 of 4 classes")
        assert page.locator("label", has=switch).inner_text().strip() == "Show empty classes (1)"
        switch.check()
        assert (len(column(page, 0)), told.inner_text()) == (4, "4 of 4 classes")
        switch.uncheck()
        page.locator("#filter").fill("never")
        assert column(page, 0) == ["never there"]
    with Opened(browser, files / "one.html", java_script_enabled=False) as page:
        assert len(column(page, 0)) == 4


def test_skip_link_is_first_and_leads_to_the_numbers(browser, files):
    with Opened(browser, files / "one.html") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.wait_for_url("**#main")


def test_curve_of_a_class(browser, files):
    with Opened(browser, files / "one.html") as page:
        line = page.locator("#pr-0-f .picked[d]:not([d=''])")
        before = line.count()
        page.locator("#pick-0").select_option(label=SCRIPT)
        assert line.count() == before + 1
        inside(page.locator("#pr-0-f > svg"), line.first)
        page.locator("#pick-0").select_option("")
        assert line.count() == before


def inside(chart, line):
    box, drawn = chart.bounding_box(), line.bounding_box()
    assert box["x"] < drawn["x"] < drawn["x"] + drawn["width"] < box["x"] + box["width"]


def test_curves_of_a_class_of_three_models(browser, files):
    with Opened(browser, files / "three.html") as page:
        chosen, mean = page.locator("#pr-f .chosen[d]:not([d=''])"), page.locator("#pr-f .line:not(.chosen)").first
        page.locator("#pick").select_option(label="2")
        assert chosen.count() == 3
        inside(page.locator("#pr-f > svg"), chosen.first)
        assert mean.evaluate("x => getComputedStyle(x).opacity") == "0"
        dashes = chosen.evaluate_all("x => x.map((y) => getComputedStyle(y).strokeDasharray)")
        assert len(set(dashes)) == 3
        page.locator("#pick").select_option("")
        assert chosen.count() == 0
        assert mean.evaluate("x => getComputedStyle(x).opacity") == "1"


def test_images_of_three_models_are_enlarged_and_folded(browser, files):
    with Opened(browser, files / "three.html") as page:
        page.locator("#images button.enlarge:visible").first.click()
        assert page.locator("#enlarged-name").inner_text().startswith(SCRIPT)
        page.keyboard.press("ArrowRight")
        assert page.locator("#enlarged-name").inner_text().startswith("second")
    with Opened(browser, files / "three.html", "phone") as page:
        assert [x.get_attribute("id") for x in page.locator("details.part[open]").all()] == ["curves"]


def test_page_of_three_models_sorts_filters_and_saves(browser, files):
    with Opened(browser, files / "three.html") as page:
        page.locator("#filter").fill("2")
        assert page.locator("#per-class tbody tr:visible").count() == 1
        page.locator("#filter").fill("")
        page.locator("#per-class thead th").nth(2).locator("button").click()
        assert page.locator("#per-class thead th").nth(2).get_attribute("aria-sort") == "descending"
        with page.expect_download() as download:
            page.locator("#save").click()
        saved = json.loads(download.value.path().read_text("utf-8"))
        assert saved["names"] == [SCRIPT, "second", "third"]
        # The page holds rows of classes and curves in a shorter form.
        assert [x["name"] for x in saved["per_class"][:3]] == ["1", "1", "2"]
        assert len(saved["records"][0]["analyses"]["pr"]["per_class"][0]) == 101


def test_long_table_shows_its_first_rows_until_all_are_asked_for(browser, tmp_path):
    many = detection.Targets(boxes=[[0, 0, 9, 9]] * 40, labels=list(range(40)), images=list(range(40)))
    found = detection.Detections(many.boxes, [0.5] * 40, many.labels, many.images)
    (tmp_path / "many.html").write_text(report.html(report.record(detection.evaluate(many, found))), "utf-8")
    with Opened(browser, tmp_path / "many.html") as page:
        rows, more = page.locator("#per-class tbody tr:visible"), page.locator("#classes .controls button").last
        assert (rows.count(), more.inner_text()) == (12, "Show 28 more")
        page.locator("#filter").fill("1")  # 1, 10 to 19, 21, 31
        assert (rows.count(), more.is_visible()) == (13, False)
        page.locator("#filter").fill("")
        more.click()
        assert (rows.count(), more.inner_text()) == (40, "Show fewer")


def test_comparison_stacks_by_model_on_a_phone(browser, files):
    with Opened(browser, files / "three.html", "phone") as page:
        area = page.locator("#numbers .scroll")
        assert area.evaluate("x => x.scrollWidth <= x.clientWidth")
        cell = page.locator(".compared tbody td").nth(1)
        assert cell.evaluate("x => getComputedStyle(x, '::before').content") == '"second"'


def test_numbers_are_saved_as_json(browser, files):
    with Opened(browser, files / "one.html") as page:
        with page.expect_download() as download:
            page.locator("#save").click()
        saved = json.loads(download.value.path().read_text("utf-8"))
        assert report.Record.from_json(json.dumps(saved)).per_class[0]["name"] == SCRIPT


def test_page_works_without_script_and_prints(browser, files):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((files / "one.html").as_uri())
    assert page.locator("#per-class tbody tr").count() == 4
    assert not page.locator("#filter").is_visible()
    context.close()
    with Opened(browser, files / "one.html", "phone") as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert folded(page) == ["label_errors", "scores", "lrp", "proposals", *ASKED_ONLY]  # these are not printed
        printed = page.pdf(format="A4")
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 4
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert "curves" not in folded(page)
        assert len(folded(page)) == len(SECTIONS) - 1


def test_a_table_of_many_columns_fits_on_paper(browser, tmp_path):
    made = report.record(of_pens(), analyses=report.ANALYSES)
    (tmp_path / "pens.html").write_text(report.html(made), "utf-8")
    with Opened(browser, tmp_path / "pens.html") as page:
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 703, "height": 1000})  # A4 without margins
        assert page.locator("#per-class").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 703


ASKED_ONLY = ["froc", "miss_rate", "top_k", "empty_images"]
SECTIONS = [
    *("curves", "classes", "confusion", "errors", "images", "label_errors", "scores", "lrp", "proposals"),
    *ASKED_ONLY,
    "provenance",
]


def folded(page):
    return page.locator("details.part:not([open])").evaluate_all("x => x.map(y => y.id)")


def test_sections_fold_on_a_phone(browser, files):
    with Opened(browser, files / "one.html", "phone") as page:
        assert folded(page) == SECTIONS[1:]
        assert page.evaluate("document.documentElement.scrollHeight") < 4000
        page.locator("#errors > summary").click()
        assert page.locator("#errors svg").first.is_visible()
    with Opened(browser, files / "one.html", "wide") as page:
        assert folded(page) == SECTIONS[5:-1]
    context = browser.new_context(java_script_enabled=False, viewport=SIZES["phone"])
    page = context.new_page()
    page.goto((files / "one.html").as_uri())
    page.locator("#scores > summary").click()
    assert page.locator("#scores svg").first.is_visible()
    context.close()


def test_links_to_folded_sections_unfold_them(browser, files):
    with Opened(browser, files / "one.html", "phone", reduced_motion="reduce") as page:
        for _ in range(2):  # the second time the address stays as it is
            page.get_by_role("navigation").get_by_role("link", name="Confusion").click()
            assert "confusion" not in folded(page)
            page.locator("#confusion > summary").click()
            assert "confusion" in folded(page)
    with Opened(browser, files / "one.html", "phone", fragment="#per-class") as page:
        assert page.locator("#per-class").is_visible()


def test_links_choose_images(browser, files):
    with Opened(browser, files / "one.html", reduced_motion="reduce") as page:
        every = page.locator("#images figure").count()
        shown = page.locator("#images figure:visible")
        row = page.locator("#per-class tbody tr").nth(2)
        row.get_by_role("link", name=NAMES[3]).click()
        # The page hears of a new address after the browser has it.
        page.locator("#chosen span", has_text=NAMES[3]).wait_for()
        few = shown.count()
        assert 0 < few <= every
        assert page.locator("#chosen").inner_text().startswith(f"{few} of {every}: {NAMES[3]}")
        assert page.locator("#images figure:visible path.lit").count() >= few
        page.locator('#errors a[href="#images/e-background"]').click()
        page.locator("#chosen span:text-matches(': background$')").wait_for()
        page.locator("#chosen button").click()
        page.locator("#chosen").wait_for(state="hidden")
        assert page.locator("#images figure:not([hidden])").count() == every
        assert page.locator("path.lit").count() == 0
        page.go_back()
        page.locator("#chosen").wait_for()
        for wrong in ("#images/nobody", '#images/"]', "#images/%22"):
            page.evaluate("x => { location.hash = x }", wrong)
            page.locator("#chosen").wait_for(state="hidden")
            assert page.locator("#images figure:not([hidden])").count() == every


def test_switches_hide_shapes_with_their_names(browser, files):
    with Opened(browser, files / "one.html") as page:
        for value, styles in {"missed": ["missed"], "wrong": ["false"], "right": ["hit", "found"]}.items():
            shapes = [page.locator(f"#images .images {x}.{style}").first for style in styles for x in ("g.shape",)]
            assert all(x.is_visible() for x in shapes)
            page.locator(f"#images .switches [value={value}]").uncheck()
            assert not any(x.is_visible() for x in shapes)
            if value != "right":
                assert not page.locator(f"#images .tags .{styles[0]}").first.is_visible()
            page.locator(f"#images .switches [value={value}]").check()
            assert all(x.is_visible() for x in shapes)


def test_image_is_enlarged_by_keys_and_closed(browser, files):
    with Opened(browser, files / "one.html") as page:
        button = page.locator("#images .enlarge").first
        button.focus()
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        first = page.locator("#enlarged-name").inner_text()
        assert dialog.is_visible()
        assert dialog.locator("svg").first.bounding_box()["width"] > button.bounding_box()["width"]
        # All that is drawn has its name.
        for style in ("missed", "false"):
            assert (
                dialog.locator(f".tags .{style} text").count() == dialog.locator(f".shape.{style} > path").count() > 0
            )
        picture = dialog.locator(".stage svg").bounding_box()
        for name in dialog.locator(".tags text").all():
            box = name.bounding_box()
            assert picture["x"] - 4 <= box["x"] <= box["x"] + box["width"] <= picture["x"] + picture["width"] + 4
        page.keyboard.press("ArrowRight")
        assert page.locator("#enlarged-name").inner_text() != first
        dialog.get_by_role("button", name="Previous").click()
        assert page.locator("#enlarged-name").inner_text() == first
        dialog.locator(".switches [value=wrong]").uncheck()
        assert not dialog.locator("g.shape.false").is_visible()
        assert not page.locator("#images .switches [value=wrong]").is_checked()
        page.keyboard.press("Escape")
        assert not dialog.is_visible()
        assert button.evaluate("x => x === document.activeElement")
        page.locator("#label_errors > summary").click()
        page.locator("#label_errors .enlarge").first.click()
        dialog.get_by_role("button", name="Close").click()
        assert not dialog.is_visible()


def test_tree_of_a_screen_reader_names_tables_and_pictures(browser, files):
    with Opened(browser, files / "one.html") as page:
        assert page.get_by_role("img", name="Precision over recall, mean of the classes").count() == 1
        assert page.get_by_role("table", name="Each class").count() == 1
        assert page.get_by_role("searchbox", name="Show classes with").count() == 1
        assert page.get_by_role("navigation", name="Sections").get_by_role("link").count() == 2 + len(SECTIONS)
        assert page.get_by_role("rowheader").count() > 4
