"""Formats of 3-D boxes: the conventions of KITTI's and nuScenes' devkits, written out."""

import math

import numpy as np
import pytest

from omniou import boxes3d, rotated
from tests.helpers import array, assert_close, numbers

HALF = math.sqrt(0.5)
# KITTI's label fields, and the same box as "xyzlwhr": a car 10 m ahead and 2 m to the right, on a road 1.7 m below the
# camera, that heads to the right (rotation_y = 0), away from the camera (-pi / 2), and towards it (pi / 2).
KITTI = [
    ([1.5, 1.6, 4, 2, 1.7, 10, 0], [2, 10, -0.95, 4, 1.6, 1.5, 0]),
    ([1.5, 1.6, 4, 2, 1.7, 10, -math.pi / 2], [2, 10, -0.95, 4, 1.6, 1.5, math.pi / 2]),
    ([1.5, 1.6, 4, 2, 1.7, 10, math.pi / 2], [2, 10, -0.95, 4, 1.6, 1.5, -math.pi / 2]),
]
# nuScenes' centre, size (width, length, height) and quaternion: no turn, a quarter, half a turn, a third backwards, and
# a quarter by the quaternion's negative.
NUSCENES = [
    ([1, 2, 3, 1.6, 4, 1.5, 1, 0, 0, 0], [1, 2, 3, 4, 1.6, 1.5, 0]),
    ([1, 2, 3, 1.6, 4, 1.5, HALF, 0, 0, HALF], [1, 2, 3, 4, 1.6, 1.5, math.pi / 2]),
    ([1, 2, 3, 1.6, 4, 1.5, 0, 0, 0, 1], [1, 2, 3, 4, 1.6, 1.5, math.pi]),
    ([1, 2, 3, 1.6, 4, 1.5, 0.5, 0, 0, -math.sqrt(0.75)], [1, 2, 3, 4, 1.6, 1.5, -2 * math.pi / 3]),
    ([1, 2, 3, 1.6, 4, 1.5, -HALF, 0, 0, -HALF], [1, 2, 3, 4, 1.6, 1.5, math.pi / 2]),
]


@pytest.mark.proves("eager", "boxes3d.convert")
@pytest.mark.parametrize(("format", "cases"), [("kitti", KITTI), ("nuscenes", NUSCENES)])
def test_convert_hand_worked_rows(xp, format, cases):
    theirs, ours = (array(xp, x) for x in zip(*cases, strict=True))
    assert_close(boxes3d.convert(theirs, format, "xyzlwhr"), numbers(ours), like=theirs, ulp=8)
    back = boxes3d.convert(ours, "xyzlwhr", format)
    expected = np.array(numbers(theirs))
    if format == "nuscenes":
        expected[4, 6:] *= -1  # a quaternion and its negative are one rotation
    assert_close(back, expected, like=theirs, ulp=8)


def random_rows(n):
    rng = np.random.default_rng(0)
    return np.concatenate(
        [rng.normal(0, 30, (n, 3)), rng.uniform(0.2, 8, (n, 3)), rng.uniform(-np.pi, np.pi, (n, 1))], axis=1
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("format", ["kitti", "nuscenes"])
def test_round_trips_are_exact_to_rounding(xp, dtype, format):
    rows = array(xp, random_rows(50), dtype)
    back = boxes3d.convert(boxes3d.convert(rows, "xyzlwhr", format), format, "xyzlwhr")
    assert_close(back, numbers(rows), like=rows, ulp=8)
    if format == "kitti":
        # All but the height of the centre are carried over to the last bit.
        same = numbers(back) == numbers(rows)
        assert same[:, [0, 1, 3, 4, 5, 6]].all()


def test_convert_keeps_sides_below_zero_and_turns():
    row = [1.0, 2, 3, -4, 2, -1, 9.5]
    for format in ("xyzlwhr", "kitti"):
        there = boxes3d.convert(row, "xyzlwhr", format)
        assert boxes3d.convert(there, format, "xyzlwhr").tolist() == row
    assert boxes3d.convert(boxes3d.convert(row, "xyzlwhr", "nuscenes"), "nuscenes", "xyzlwhr")[:6].tolist() == row[:6]


def test_corners_are_those_of_kittis_devkit():
    """The devkit's ``computeBox3D``: corners around the bottom centre, turned about y, moved to the location."""
    h, w, length, x, y, z, turn = row = [1.5, 1.6, 4.0, 2.0, 1.7, 10.0, 0.4]
    xs = length / 2 * np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    ys = h * np.asarray([0, 0, 0, 0, -1, -1, -1, -1])
    zs = w / 2 * np.asarray([1, -1, -1, 1, 1, -1, -1, 1])
    turned = [[math.cos(turn), 0, math.sin(turn)], [0, 1, 0], [-math.sin(turn), 0, math.cos(turn)]]
    camera = np.asarray(turned) @ np.stack([xs, ys, zs]) + np.asarray([[x], [y], [z]])
    upright = np.stack([camera[0], camera[2], -camera[1]], axis=1)
    assert_same_points(boxes3d.corners(row, format="kitti"), upright)


def test_corners_are_those_of_nuscenes_devkit():
    """The devkit's ``Box.corners``: corners around the centre, turned by the rotation matrix of the quaternion."""
    x, y, z, w, length, h, *quaternion = row = [1.0, 2, 3, 1.6, 4, 1.5, math.cos(0.35), 0, 0, math.sin(0.35)]
    xs = length / 2 * np.asarray([1, 1, 1, 1, -1, -1, -1, -1])
    ys = w / 2 * np.asarray([1, -1, -1, 1, 1, -1, -1, 1])
    zs = h / 2 * np.asarray([1, 1, -1, -1, 1, 1, -1, -1])
    corners = (rotation_matrix(*quaternion) @ np.stack([xs, ys, zs])).T + np.asarray([x, y, z])
    assert_same_points(boxes3d.corners(row, format="nuscenes"), corners)


def rotation_matrix(w, x, y, z):
    return np.asarray(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def assert_same_points(actual, expected):
    actual, expected = (x[np.lexsort(np.round(x, 9).T)] for x in (actual, expected))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


@pytest.mark.proves("eager", "boxes3d.corners")
def test_corners_in_order(xp):
    x = array(xp, [[1, 2, 3, 4, 2, 6, 0], [0, 0, 0, 4, 2, 6, math.pi / 2]])
    low = [[-1, 1], [3, 1], [3, 3], [-1, 3]]
    turned = [[1, -2], [1, 2], [-1, 2], [-1, -2]]
    expected = [[[*p, z] for z in heights for p in corners] for corners, heights in ((low, (0, 6)), (turned, (-3, 3)))]
    assert_close(boxes3d.corners(x), expected, like=x, ulp=16)
    flat = rotated.corners(xp.concat([x[:, :2], x[:, 3:5], x[:, 6:]], axis=1))
    assert_close(boxes3d.corners(x)[:, :4, :2], numbers(flat), like=x)


def test_yaw_of_a_tilted_quaternion_is_that_of_its_heading():
    """As nuScenes' ``quaternion_yaw``: the direction of the turned x axis, seen from above."""
    rng = np.random.default_rng(1)
    quaternions = rng.normal(0, 1, (50, 4))
    for quaternion in quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True):
        heading = rotation_matrix(*quaternion)[:, 0]
        for length in (1, -1, 1e-3, 1e3):  # a quaternion of any length is read
            yaw = boxes3d.convert([0, 0, 0, 1, 1, 1, *(quaternion * length)], "nuscenes", "xyzlwhr")[6]
            assert yaw == pytest.approx(math.atan2(heading[1], heading[0]), abs=1e-10)


def test_yaw_of_a_quaternion_straight_up_is_zero():
    for quaternion in ([HALF, 0, -HALF, 0], [0, 0, 0, 0]):
        out = boxes3d.convert([0, 0, 0, 1, 1, 1, *quaternion], "nuscenes", "xyzlwhr")
        assert abs(out[6]) <= 1e-15


def test_overlap_does_not_depend_on_kittis_frame():
    """In the frame of KITTI's Velodyne, x forward, y left, z up, a yaw is -rotation_y - pi / 2."""
    h, w, length, x, y, z, turn = (random_rows(20)[:, [3, 4, 5, 0, 1, 2, 6]] * [1, 1, 1, 0.1, 0.1, 0.1, 1]).T
    camera = np.stack([h, w, length, x, y, z, turn], axis=1)
    velodyne = np.stack([z, -x, h / 2 - y, length, w, h, -turn - np.pi / 2], axis=1)
    for name in ("iou", "giou", "diou", "bev_iou"):
        score = getattr(boxes3d, name)
        out = score(camera[:, None], camera, format="kitti")
        np.testing.assert_allclose(out, score(velodyne[:, None], velodyne), rtol=0, atol=1e-12)
        assert (out > 0).any() or name == "diou"
