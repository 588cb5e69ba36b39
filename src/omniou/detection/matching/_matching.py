"""Match detections with objects greedily, at all thresholds, area ranges and images at once."""

import functools
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._inputs.tables import Tables
from omniou._lib import ordering
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol, levels
from omniou.detection.matching._candidates import Candidates, candidate_pairs
from omniou.detection.matching._groups import Eligible, GroupIds, GroupObjects, ListedPairs
from omniou.matching import _coco_greedy as coco
from omniou.matching._coco_bits import Entries, Taken
from omniou.matching._coco_greedy import CocoRules, Word


class Outcome(NamedTuple):
    """Matches of the E detections that match an object at any threshold in any area range, by row."""

    rows: Any  # (E,) rows of `ListedPairs`, rising
    rank: Any  # (E,) in the group, from 0
    matched: list[Any]  # bits (E,) for each word
    ignored: list[Any]  # bits (E,) for each word: matched to an object that is ignored


def match(tables: Tables, ids: GroupIds, protocol: Protocol, /) -> tuple[GroupObjects, ListedPairs, Outcome]:
    """Match by falling score: each detection takes the free object of highest overlap.

    Returns both tables, and the outcome of the detections.
    """
    xp = tables.xp
    pairs = candidate_pairs(tables, ids, protocol)
    some, bits = [], []
    for detection, outcomes in _each_part(pairs, protocol, xp=xp):
        some.append(detection)
        bits.append([x for taken, _ in outcomes for x in (taken.matched, taken.ignored)])
    joined = [xp.concat(list(x)) if len(x) > 1 else x[0] for x in zip(*bits, strict=True)]
    pairs_of_bits = list(zip(joined[::2], joined[1::2], strict=True))
    return pairs.objects, pairs.listed, _outcome(pairs.eligible, xp.concat(some), pairs_of_bits, xp=xp)


def _each_part(
    pairs: Candidates, protocol: Protocol, /, *, xp: Namespace
) -> Iterator[tuple[Any, list[tuple[Taken, list[Entries]]]]]:
    """Yield for each part its detections that overlap an object, and for each word the taken objects of each step.

    Detections come by falling score, so a part only needs to know which objects the parts before it have taken.
    """
    size, device = pairs.objects.area.shape[0], compat.device(pairs.objects.area)
    held, rules = [xp.zeros(size, dtype=xp.int64, device=device) for _ in words(protocol)], _rules(protocol)
    for part in pairs.parts:
        ordered = coco.ordered(part.edges, pairs.objects, rules, shared=part.shared, xp=xp)
        outcomes = [
            coco.greedy(ordered, pairs.objects, rules, word, objects, xp=xp)
            for word, objects in zip(words(protocol), held, strict=True)
        ]
        held = [taken.objects for taken, _ in outcomes]
        yield ordered.detection, outcomes


def _outcome(eligible: Eligible, some: Any, bits: list[tuple[Any, Any]], /, *, xp: Namespace) -> Outcome:
    """Numbers of eligible detections, and their bits in each word -> the outcome of those that match, by row."""
    kept = xp.nonzero(functools.reduce(operator.or_, (matched for matched, _ in bits)) != 0)[0]
    detection = xp.take(some, kept)
    rows = xp.take(eligible.rows, detection)
    order = ordering.rising(rows, int(xp.max(rows)) + 1 if rows.shape[0] else 1, xp=xp)
    kept, detection, rows = (xp.take(x, order) for x in (kept, detection, rows))
    words = ([xp.take(x, kept) for x in word] for word in zip(*bits, strict=True))
    return Outcome(rows, xp.take(eligible.rank, detection), *words)


def matched_pairs(pairs: Candidates, protocol: Protocol, /, *, xp: Namespace) -> list[tuple[Word, Entries]]:
    """Return the matches of each word: rows of `ListedPairs` and `GroupObjects`, and the bits of the match (P,)."""
    matched: list[list[Entries]] = [[] for _ in words(protocol)]
    for detection, outcomes in _each_part(pairs, protocol, xp=xp):
        rows = xp.take(pairs.eligible.rows, detection)
        for entries, (_, steps) in zip(matched, outcomes, strict=True):
            entries.append(coco.won(steps, rows, xp=xp))
    joined = [Entries(*(xp.concat(list(x)) for x in zip(*entries, strict=True))) for entries in matched]
    return list(zip(words(protocol), joined, strict=True))


def words(protocol: Protocol) -> list[Word]:
    """Cut the protocol's thresholds x area ranges into words that fit an integer."""
    return coco.words(len(protocol.iou_thresholds), len(protocol.area_ranges))


def _rules(protocol: Protocol) -> CocoRules:
    once = protocol.crowds == "once"
    return CocoRules(levels(protocol), protocol.area_ranges, protocol.assignment == "best", once)
