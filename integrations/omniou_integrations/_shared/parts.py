"""The state of metrics of torchmetrics and Ignite, and its packing into one tensor that processes exchange."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import array_api_compat.numpy as xp
import numpy as np
import torch
from torch import Tensor

from omniou.detection._presets import named
from omniou.detection._protocol import Protocol
from omniou.detection.curves._batch import BatchPoint, summarised
from omniou.detection.curves._plain import from_columns, narrowed, to_columns
from omniou.detection.curves._state import State, merge


class Overlaps(NamedTuple):
    """IoU of all pairs of the groups of image and label that have any, (G,) groups, in NumPy."""

    image: Any
    label: Any
    detections: Any  # number of detections, by falling score
    objects: Any  # number of objects
    values: Any  # of all pairs, group after group, (sum of detections * objects,)


class MetricPart(NamedTuple):
    """The state after some images, numbered from 0 in the order of the updates."""

    sizes: Any  # (3,): images, objects, detections
    labels: Any  # (K,) that occur, rising
    states: dict[str, State]
    overlaps: dict[str, Overlaps]


Rules = Mapping[str, tuple[Protocol, str]]  # of each state, by name: protocol and kind


def invariant(protocol: Protocol | str | None, *, kind: Any = "bbox", class_agnostic: bool = False) -> Protocol:
    """A protocol as it is; one of `PRESETS`, by name, with ties broken independently of the order of the images.

    Both without classes where that is asked for.
    """
    settled = named(protocol, kind=kind, class_agnostic=class_agnostic)
    return settled if isinstance(protocol, Protocol) else dataclasses.replace(settled, tie_policy="invariant")


def numpy(x: Tensor) -> Any:
    """A tensor of any device in a dtype that NumPy knows."""
    x = x.detach().cpu()
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy()


def joined(parts: Sequence[MetricPart]) -> MetricPart:
    """The images of all parts, one part after the other."""
    return _renumbered(parts, np.arange(sum(part.sizes[0] for part in parts)))


def interleaved(parts: Sequence[MetricPart]) -> MetricPart:
    """The images of all parts, interleaved as `DistributedSampler` shards them: the order of a single process."""
    return _renumbered(parts, interleaved_numbers([int(part.sizes[0]) for part in parts]))


def interleaved_numbers(counts: Sequence[int]) -> Any:
    """Numbers that interleave the images of several parts, listed one part after the other."""
    order = np.concatenate([np.arange(count) * len(counts) + k for k, count in enumerate(counts)])
    return np.argsort(np.argsort(order))


def _renumbered(parts: Sequence[MetricPart], new_numbers: Any) -> MetricPart:
    numbers = np.split(new_numbers, np.cumsum([part.sizes[0] for part in parts])[:-1])
    pairs = list(zip(parts, numbers, strict=True))
    states = {
        name: _merged([dataclasses.replace(p.states[name], images=new[p.states[name].images]) for p, new in pairs])
        for name in parts[0].states
    }
    overlaps = {}
    for name in parts[0].overlaps:
        moved = [p.overlaps[name]._replace(image=new[p.overlaps[name].image]) for p, new in pairs]
        overlaps[name] = Overlaps(*(np.concatenate(column) for column in zip(*moved, strict=True)))
    labels = np.unique(np.concatenate([part.labels for part in parts]))
    return MetricPart(np.sum([part.sizes for part in parts], axis=0), labels, states, overlaps)


def summary_numbers(state: State, point: BatchPoint, prefix: str = "") -> dict[str, float]:
    """The numbers of a batch to log, by name."""
    of_batch = summarised(state, point)
    return {f"{prefix}{name}": getattr(of_batch, name) for name in ("precision", "recall", "f1")}


def _merged(states: Sequence[State]) -> State:
    return states[0] if len(states) == 1 else merge(states, xp=xp)


def pack(part: MetricPart) -> Tensor:
    """Pack into one flat tensor of bytes."""
    columns = {"sizes": part.sizes, "labels": part.labels}
    for name, state in part.states.items():
        columns |= {f"{name}/{field}": x for field, x in to_columns(state).items()}
        columns[f"{name}/surplus"] = np.asarray(state.surplus)
    for name, overlaps in part.overlaps.items():
        columns |= {f"{name}//{field}": x for field, x in overlaps._asdict().items()}
    return pack_columns(columns)


def pack_columns(columns: Mapping[str, Any], *, narrow: bool = True) -> Tensor:
    """One flat tensor of bytes: a head that names the columns, and these, in the smallest type if made `narrow`."""
    arrays = {name: narrowed(np.asarray(x)) if narrow else x for name, x in columns.items()}
    head = json.dumps([(name, x.dtype.str, x.shape) for name, x in arrays.items()]).encode()
    pieces = [len(head).to_bytes(8, "little"), head, *(x.tobytes() for x in arrays.values())]
    return torch.frombuffer(bytearray(b"".join(pieces)), dtype=torch.uint8)


def unpack(packed: Tensor, rules: Rules) -> MetricPart:
    """Restore what `pack` packed."""
    columns = unpack_columns(packed, wide=False)
    states, overlaps = {}, {}
    for name, (protocol, kind) in rules.items():
        fields = {key.removeprefix(f"{name}/"): x for key, x in columns.items() if key.startswith(f"{name}/")}
        states[name] = from_columns(fields, protocol=protocol, surplus=int(fields["surplus"]), kind=kind)
        if "/image" in fields:
            *numbers, values = (fields[f"/{field}"] for field in Overlaps._fields)
            overlaps[name] = Overlaps._make([*map(_wide, numbers), values])  # values stay float32, as torchmetrics'
    return MetricPart(_wide(columns["sizes"]), _wide(columns["labels"]), states, overlaps)


def unpack_columns(packed: Tensor, *, wide: bool = True) -> dict[str, Any]:
    """Restore the columns that `pack_columns` packed, in 64 bits if made `wide`."""
    data = packed.cpu().numpy().tobytes()
    at = 8 + int.from_bytes(data[:8], "little")
    columns = {}
    for name, dtype, shape in json.loads(data[8:at]):
        count = math.prod(shape)
        x = np.frombuffer(data, dtype=dtype, count=count, offset=at).reshape(shape)
        at += x.nbytes
        columns[name] = _wide(x) if wide else x.copy()
    return columns


def _wide(x: Any) -> Any:
    return x.astype(np.int64 if x.dtype.kind in "iu" else np.float64)
