"""Make the page of a comparison of models: one file that needs no network."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from omniou._lib.brief import counted, decimal, threshold
from omniou._results.shown import lower_is_better
from omniou.report._charts.overlaid import GroupedBars
from omniou.report._charts.planes import ticks
from omniou.report._charts.svg import Drawn, Figure, figure, framed, names_width, short
from omniou.report._comparison.bounds import LEVEL
from omniou.report._comparison.charts import (
    DifferenceBars,
    confusions,
    curves,
    differences,
    error_counts,
    overlaid_models,
    points_of,
)
from omniou.report._comparison.contrast import Contrast, Delta, bounds, by_class, signed, tables, verdict
from omniou.report._images import frames
from omniou.report._pages import assets
from omniou.report._pages.facts import details, facts, packed, shorten
from omniou.report._record.analyses import ANALYSES
from omniou.report._record.charts import Plane
from omniou.report._record.parts import marked
from omniou.report._record.record import Record
from omniou.report._record.tables import Table

_WIDTH = 480
# Pixels: height of a bar, gap between two groups, and width of the text at the end of a bar.
_BAR, _GAP, _TEXT = 15, 11, 92
_ROW = 22
# The least width of names in pixels: short names may have wide letters.
_LEFT = 90
# Width of the number of objects after a name.
_OBJECTS = 34
# The most models that the title names.
_NAMED = 3
_NO_ERRORS = {"missed": 0, "false_positives": 0, "true_positives": 0, "missed_classes": [], "shapes": {}, "more": 0}


class ModelCell(NamedTuple):
    """A number of a model: value, difference, interval, and trend: "up" if it is certainly better, or "down"."""

    value: str
    difference: str = ""
    detail: str = ""
    trend: str = ""


class ImagePair(NamedTuple):
    """An image with the outcomes of both models."""

    name: str
    errors: str
    pictures: Sequence[Mapping[str, Any]]


class ImageSection(NamedTuple):
    """The images in which a model differs from the reference."""

    model: str
    caption: str
    groups: Sequence[tuple[str, Sequence[ImagePair]]]


def contrast_html(contrast: Contrast, folder: Path | None) -> str:
    """Return the page of a comparison; shapes are drawn over the pictures of a folder, if it is given."""
    scripts = ["".join(map(assets.asset, ("report.js", "report-images.js"))), assets.asset("contrast.js")]
    style = assets.asset("report.css") + assets.asset("contrast.css")
    drawn = _drawn(contrast)
    classes = _classes(contrast)
    parts = {
        "curves": "Curves" if _CURVES & drawn.keys() else "",
        "classes": "Classes" if classes else "",
        "errors": "Errors" if "errors" in drawn or _lrp(contrast) else "",
        "images": f"{contrast.reference.units.capitalize()} that differ" if contrast.images else "",
        "confusion": "Confusion" if confusions(contrast) else "",
        "provenance": "Provenance",
    }
    return (
        assets.page_environment()
        .get_template("contrast.html.j2")
        .render(
            title=_title(contrast.names),
            subtitle=_subtitle(contrast),
            contrast=contrast,
            parts=[(id, words) for id, words in parts.items() if words],
            verdict=verdict(contrast),
            warnings=_warnings(contrast),
            against_best=_against_best(contrast),
            numbers=_numbers(contrast),
            level=f"{LEVEL:g}",
            curves=[drawn[name] for name in drawn if name in _CURVES],
            points=[x for f in drawn.values() if isinstance(f.chart, Plane) and (x := points_of(f.chart))],
            picked=[(f"m{k}", contrast.names.index(name)) for k, name in enumerate(overlaid_models(contrast), start=1)],
            left_out=len(contrast.names) - len(overlaid_models(contrast)),
            differences=[
                framed(f"difference-{k}", x, _difference_bars(x))
                for k, x in enumerate(differences(contrast).values())
                if x.rows
            ],
            classes=classes,
            errors=drawn.get("errors"),
            error_counts=error_counts(contrast),
            images=[_images(contrast, x, folder) for x in contrast.images],
            confusions=[figure(f"confusion-{k}", x) for k, x in enumerate(confusions(contrast).values())],
            lrp=_lrp(contrast),
            facts=[(name, facts(record), details(record)) for name, record in contrast.records.items()],
            version=contrast.reference.omniou,
            data=_embedded(contrast),
            scripts=[assets.markup(x) for x in scripts],
            style=assets.markup(style),
            script_hashes=[assets.digest(x) for x in scripts],
            style_hash=assets.digest(style),
        )
    )


_CURVES = {"pr", "pr-mean", "f1", "calibration"}


def _drawn(contrast: Contrast) -> dict[str, Figure]:
    return {
        name: framed(name, x, _grouped_bars(x)) if isinstance(x, GroupedBars) else figure(name, x)
        for name, x in curves(contrast).items()
    }


def _title(names: Sequence[str]) -> str:
    if len(names) == 2:
        return f"{names[0]} and {names[1]}"
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    *first, last = [*names[:_NAMED], *more]
    return f"{', '.join(first)} and {last}"


def _subtitle(contrast: Contrast) -> str:
    record, counts = contrast.reference, contrast.reference.counts
    compared = f"{len(contrast.names)} models on {counted(record.size, record.units)}"
    if isinstance(record.protocol, str):
        return f"{compared} ({record.kind}{f', the rules of {record.rules}' if record.rules else ''})"
    objects = counted(counts["annotations"] - counts["crowds"], "objects")
    rules = f"the rules of {record.rules}" if record.rules else "custom rules"
    return f"{compared}: {objects}, {counted(counts['categories'], 'classes')} ({record.kind}, {rules})"


def _warnings(contrast: Contrast) -> list[tuple[str, str]]:
    """Return each warning once, as text and details; the text names its models if not all have it."""
    out: dict[tuple[str, str], list[str]] = {}
    for name, record in contrast.records.items():
        for x in record.warnings:
            details = ". ".join(y for y in (x.evidence, x.path, x.hint) if y)
            out.setdefault((x.text, details), []).append(name)
    every = len(contrast.names)
    found = [
        (text if len(names) == every else f"{', '.join(names)}: {text}", details)
        for (text, details), names in out.items()
    ]
    return [*((x, "") for x in contrast.remarks), *found]


def _against_best(contrast: Contrast) -> Table | None:
    """Make a table of each model against the best; None if the best is the reference, whose table is `_numbers`."""
    if (
        contrast.best == contrast.names[0]
        or len(contrast.names) == 2
        or all(x.p_value is None for x in contrast.against_best)
    ):
        return None
    rows = [(x.model, x.second, signed(x), bounds(x), x.p_value) for x in contrast.against_best]
    head, share = contrast.head, f"{contrast.confidence:.0%} interval"
    value = contrast.records[contrast.best].summary[head]
    title = f"{head} against {contrast.best} ({assets.cell(value)})"
    note = "Intervals and p are adjusted for the number of pairs of all models: the same images choose the best one."
    return Table(title, ("model", head, "difference", share, "p"), rows, note)


def _numbers(contrast: Contrast) -> list[tuple[str, list[ModelCell]]]:
    """Return a row for each number, with a cell for each model."""
    rows: dict[str, list[Delta]] = {}
    for x in contrast.numbers:
        rows.setdefault(x.name, []).append(x)
    out = []
    for name, others in rows.items():
        first, *values = map(assets.cell, marked(name, [others[0].first, *(x.second for x in others)]))
        out.append((name, [ModelCell(first), *(_cell(x, value) for x, value in zip(others, values, strict=True))]))
    return out


def _cell(x: Delta, value: str) -> ModelCell:
    gap = signed(x)
    if x.difference is None or gap is None:
        return ModelCell(value)
    is_better = (x.difference < 0) is lower_is_better(x.name)
    trend = ("up" if is_better else "down") if x.is_certain else ""
    p_value = "" if x.p_value is None else f"p {decimal(x.p_value)}"
    detail = ", ".join(words for words in (bounds(x), p_value) if words)
    return ModelCell(value, gap, detail, trend)


def _classes(contrast: Contrast) -> Table | None:
    """Make a table of all classes: for two models with intervals, for more with a star at certain differences."""
    if not contrast.per_class:
        return None
    first, *others = contrast.names
    if len(others) == 1:
        *_, table = tables(contrast, per_class=True)
        return table if table.headings[0] == "class" else None
    rows = [
        (
            x[0].name,
            x[0].objects,
            *marked(contrast.class_number, [x[0].first, *(y.second for y in x)]),
            *map(_difference, x),
        )
        for x in by_class(contrast)
    ]
    headings = ("class", "objects", first, *others, *(f"difference of {name}" for name in others))
    tested = any(x.p_value is not None for x in contrast.per_class)
    note = f"* p below {LEVEL:g}, adjusted for the number of classes and of models." if tested else ""
    return Table(f"{contrast.class_number} of all classes, and differences from {first}", headings, rows, note)


def _difference(x: Delta) -> str | None:
    gap = signed(x)
    return None if gap is None else f"{gap}{'*' if x.is_certain else ''}"


def _images(contrast: Contrast, section: Mapping[str, Any], folder: Path | None) -> ImageSection:
    """Draw images of both models in two groups: the second model has fewer errors, or more."""
    first, second = contrast.names[0], section["model"]
    records = [contrast.records[name] for name in (first, second)]
    pictures = []
    for record, side, score in zip(records, ("first", "second"), section["scores"], strict=True):
        images = [
            {name: x[name] for name in ("id", "name", "size")} | (x[side] or _NO_ERRORS) for x in section["images"]
        ]
        value = {"images": images, "with_errors": len(images), "score": score} | {
            name: section[name] for name in ("iou_threshold", "edges")
        }
        pictures.append(frames.section(value, record, folder)["pictures"])
    pairs, gaps = [], []
    for x, *both in zip(section["images"], *pictures, strict=True):
        errors = [0 if y is None else y["missed"] + y["false_positives"] for y in (x["first"], x["second"])]
        gaps.append(errors[1] - errors[0])
        pairs.append(ImagePair(x["name"], f"{errors[0]} errors of {first}, {errors[1]} of {second}", both))
    groups = [
        (f"{second} has fewer errors", [pair for pair, gap in zip(pairs, gaps, strict=True) if gap < 0]),
        (f"{second} has more errors", [pair for pair, gap in zip(pairs, gaps, strict=True) if gap > 0]),
    ]
    return ImageSection(second, _caption(section, records[0], first), [group for group in groups if group[1]])


def _caption(section: Mapping[str, Any], record: Record, first: str) -> str:
    second, holders = section["model"], record.units
    unknown = (
        f" {section['unknown']} {holders} are unknown: a record has only those with most errors."
        if section["unknown"]
        else ""
    )
    scores = [threshold(score) for score in section["scores"]]
    from_score = scores[0] if scores[0] == scores[1] else f"{scores[0]} ({first}) and {scores[1]} ({second})"
    return (
        f"{second} has fewer errors than {first} in {counted(section['fewer'], holders)}, more in {section['more']}, "
        f"and as many in {section['alike']}.{unknown} Errors are missed objects and false positives at "
        f"{record.shapes.overlap} {section['iou_threshold']:g}, with scores of at least {from_score}. "
        f"{frames.PAIRING}"
    )


def _lrp(contrast: Contrast) -> Table | None:
    """Make a table of the parts of optimal LRP, with a column for each model."""
    if not all("lrp" in x.analyses for x in contrast.records.values()):
        return None
    made = [ANALYSES["lrp"].tables(x.analyses["lrp"], x)[0] for x in contrast.records.values()]
    rows = [(row[0], *(table.rows[k][1] for table in made)) for k, row in enumerate(made[0].rows)]
    return Table(made[0].title, ("part", *contrast.names), rows)


def _embedded(contrast: Contrast) -> Markup:
    """Return the comparison as JSON, without samples and shapes."""
    value = json.loads(contrast.to_json())
    for record in value.get("records") or [value["first"], value["second"]]:
        record["analyses"].pop("worst_images", None)
        shorten(record)
        if "per_class" in record:  # tracks of one class have none
            record["per_class"] = packed(record["per_class"])
    value["per_class"] = packed(value["per_class"])
    for section in value["images"]:
        for image in section["images"]:
            for side in ("first", "second"):
                (image[side] or {}).pop("shapes", None)
    return assets.embedded(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def _grouped_bars(chart: GroupedBars) -> Drawn:
    """Draw a group of bars for each row, a bar for each model.

    `top` is the y of the next bar. Bars are 15 pixels apart and groups 11 more: of two models, the first group has its
    bars at 4 and 19, the second group at 45 and 60.
    """
    left = max(_LEFT, names_width([name for name, _ in chart.rows]))
    values = [value or 0.0 for _, cells in chart.rows for value, _ in cells]
    high, low = max([*values, 1e-9]), min([*values, 0.0])
    scale = (_WIDTH - left - _TEXT) / (high - low)
    zero, top, parts = left - low * scale, 4, [Markup()]
    for name, cells in chart.rows:
        middle = top + _BAR * len(cells) / 2 + 4
        parts.append(Markup('<text x="{}" y="{:g}" class="end">{}</text>').format(left - 8, middle, short(name)))
        for (style, _), (value, text) in zip(chart.models, cells, strict=False):
            length = (value or 0.0) * scale
            parts.append(
                Markup('<rect x="{:.1f}" y="{}" width="{:.1f}" height="{}" class="{}"/>').format(
                    zero + min(length, 0.0), top, abs(length), _BAR - 3, style
                )
                + Markup('<text x="{:.1f}" y="{}" class="small">{}</text>').format(
                    zero + max(length, 0.0) + 5, top + _BAR - 5, text
                )
            )
            top += _BAR
        top += _GAP
    parts.append(
        Markup('<path d="M{:.1f} 0V{}" class="axis"/><text x="{:.1f}" y="{}">{}</text>').format(
            zero, top, zero, top + 14, chart.x_label
        )
    )
    return (_WIDTH, top + 22), Markup().join(parts)


def _difference_bars(chart: DifferenceBars) -> Drawn:
    """Draw a bar for each row, with its interval as a line, cut off at both ends of the axis."""
    left = max(_LEFT, names_width([row.name for row in chart.rows]))
    left += _OBJECTS if any(row.objects is not None for row in chart.rows) else 0
    right, bottom = _WIDTH - 64, _ROW * len(chart.rows) + 6
    scale = (right - left) / (2 * chart.reach)

    def across(x: float) -> float:
        return round(left + (min(max(x, -chart.reach), chart.reach) + chart.reach) * scale, 1)

    zero, parts = across(0.0), _axis(chart, bottom, [(x, across(x)) for x in ticks(-chart.reach, chart.reach, 6)])
    for place, row in enumerate(chart.rows):
        y, end = place * _ROW + 4, across(row.difference)
        told = f"{row.name}: {row.difference:+.3f}"
        if row.low is not None and row.high is not None:
            told += f", interval {row.low:+.3f} to {row.high:+.3f}"
        parts.append(
            Markup('<g><title>{}</title><text x="{}" y="{}" class="end">{}</text>').format(
                told, left - 8, y + 13, row.called
            )
            + Markup('<rect x="{}" y="{}" width="{:.1f}" height="{}" class="{}"/>').format(
                min(zero, end), y, abs(end - zero), _ROW - 6, row.style
            )
        )
        if row.low is not None and row.high is not None:
            parts.append(
                Markup('<path d="M{} {y}H{}" class="whisker"/>').format(across(row.low), across(row.high), y=y + 8)
            )
        parts.append(
            Markup('<text x="{}" y="{}" class="end small">{:+.3f}</text></g>').format(
                _WIDTH - 4, y + 12, row.difference
            )
        )
    return (_WIDTH, bottom + 36), Markup().join(parts)


def _axis(chart: DifferenceBars, bottom: int, at: Sequence[tuple[float, float]]) -> list[Markup]:
    parts = [
        Markup('<path d="M{x} 0V{b}" class="{}"/><text x="{x}" y="{}" class="middle">{}</text>').format(
            "grid" if value else "axis", bottom + 14, f"{value:+g}" if value else "0", x=x, b=bottom
        )
        for value, x in at
    ]
    middle = at[len(at) // 2][1]
    return [*parts, Markup('<text x="{}" y="{}" class="middle">{}</text>').format(middle, bottom + 31, chart.x_label)]
