"""Keypoints: OKS, its loss, PCK, PCKh, NME and sigmas, on every array library; the K and P cases of the issue."""

import math

import numpy as np
import pytest

from omniou import keypoints, losses, pairwise, pairwise_max
from tests.helpers import array, assert_close, numbers

COCO = np.array([0.26, 0.25, 0.25, 0.35, 0.35, 0.79, 0.79, 0.72, 0.72, 0.62, 0.62, 1.07, 1.07, 0.87, 0.87, 0.89, 0.89])
COCO = COCO / 10
LINE = np.stack([np.arange(17.0) * 5 + 100, np.full(17, 120.0)], axis=-1)
EPS = 2.0**-52
rng = np.random.default_rng(0)


def by_rules(a, b, area, sigmas, visible=None, box=None, eps=0.0):
    """OKS of one pair, point by point."""
    visible = [1] * len(b) if visible is None else visible
    some, total, count = any(v > 0 for v in visible), 0.0, 0
    for (x, y), (u, w), sigma, v in zip(a, b, sigmas, visible, strict=True):
        if some and not v > 0:
            continue
        dx, dy = x - u, y - w
        if not some:
            if box is None:
                return 0.0
            dx = max(0, box[0] - box[2] - x) + max(0, x - box[0] - 2 * box[2])
            dy = max(0, box[1] - box[3] - y) + max(0, y - box[1] - 2 * box[3])
        squared = dx * dx + dy * dy
        side = area + eps
        total += math.exp(-squared / (2 * sigma) ** 2 / side / 2) if side else float(squared == 0)
        count += 1
    return total / count


def random_sets(n=5, m=4, k=6):
    b = rng.uniform(0, 100, (m, k, 2))
    a = np.concatenate([b, b])[:n] + rng.normal(0, 3, (n, k, 2))
    visible = rng.integers(0, 3, (m, k))
    visible[-1] = 0
    return a, b, {"visible": visible, "area": rng.uniform(50, 2000, m), "box": rng.uniform(5, 40, (m, 4))}


SIGMAS = [0.025, 0.05, 0.1, 0.08, 0.03, 0.06]


def given(xp, options, dtype="float64"):
    kinds = {"visible": "int64"}
    return {name: array(xp, x.tolist(), kinds.get(name, dtype)) for name, x in options.items()}


# Cases K1 and K2: a shoulder off by 5, all points off by 8 with the area of the mask and that of the box.
@pytest.mark.parametrize(
    ("moved", "area", "expected"),
    [((5,), 3600, 0.992361790), (range(17), 3600, 0.523238), (range(17), 6000, 0.633662)],
)
@pytest.mark.proves("eager", "keypoints.oks")
def test_oks_of_moved_points(xp, moved, area, expected):
    found = LINE.copy()
    found[list(moved), 0] += 5 if len(moved) == 1 else 8
    actual = keypoints.oks(array(xp, found), array(xp, LINE), area=float(area), sigmas="coco")
    assert float(actual) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(("dtype", "leave_out"), [("float32", ()), ("float64", ("visible", "box"))])
def test_oks_equals_rules_elementwise_and_of_all_pairs(xp, dtype, leave_out):
    a, b, options = random_sets()
    options = {name: x for name, x in options.items() if name not in leave_out}
    rows = [{name: x[k] for name, x in options.items()} for k in range(len(b))]
    expected = [[by_rules(p, q, sigmas=SIGMAS, **row) for q, row in zip(b, rows, strict=True)] for p in a]
    p, q = array(xp, a.tolist(), dtype), array(xp, b.tolist(), dtype)
    own = given(xp, options, dtype)
    ulp = 64 if dtype == "float32" else 16
    assert_close(pairwise(keypoints.oks, p, q, sigmas=SIGMAS, **own), expected, like=p, ulp=ulp)
    assert_close(keypoints.oks(p[:4, ...], q, sigmas=SIGMAS, **own), np.diag(expected), like=p, ulp=ulp)


def test_third_numbers_are_visibility(xp):
    a, b, options = random_sets()
    both = np.concatenate([b, options["visible"][..., None]], axis=-1)
    area = array(xp, options["area"])
    separate = keypoints.oks(
        array(xp, a[:4]), array(xp, b), area=area, sigmas=SIGMAS, **given(xp, {"visible": options["visible"]})
    )
    assert_close(keypoints.oks(array(xp, a[:4]), array(xp, both), area=area, sigmas=SIGMAS), numbers(separate))
    of_detections = np.concatenate([a, np.zeros((5, 6, 1))], axis=-1)  # K7: v of detections plays no part
    assert_close(
        keypoints.oks(array(xp, of_detections[:4]), array(xp, both), area=area, sigmas=SIGMAS), numbers(separate)
    )


def test_oks_of_sets_larger_than_a_part(xp):
    a, b = rng.uniform(0, 50, (300, 6, 2)), rng.uniform(0, 50, (260, 6, 2))
    area = rng.uniform(100, 900, 260)
    whole = pairwise(keypoints.oks, array(xp, a), array(xp, b), area=array(xp, area), sigmas=SIGMAS)
    some = keypoints.oks(a[[0, 170, 299]], b[[3, 100, 259]], area=area[[3, 100, 259]], sigmas=SIGMAS)
    picked = numbers(whole)[[0, 170, 299], [3, 100, 259]]
    np.testing.assert_allclose(picked, some, rtol=1e-12)


def test_oks_without_rows_is_empty(xp):
    none, some = xp.zeros((0, 17, 2)), xp.zeros((3, 17, 2))
    assert keypoints.oks(none, none, area=xp.zeros((0,)), sigmas="coco").shape == (0,)
    assert pairwise(keypoints.oks, some, none, area=xp.zeros((0,)), sigmas="coco").shape == (3, 0)
    assert pairwise(keypoints.oks, none, some, area=xp.ones((3,)), sigmas="coco").shape == (0, 3)


def test_pairwise_max_refuses_arrays_of_the_second_set():
    a, b, options = random_sets()
    with pytest.raises(ValueError, match="belongs to the second set"):
        pairwise_max(keypoints.oks, a, b, sigmas=SIGMAS, **options)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e6])
def test_oks_is_scale_free(scale):
    a, b, options = random_sets()
    options = {"visible": options["visible"], "area": options["area"]}
    scaled = options | {"area": options["area"] * scale**2}
    first = pairwise(keypoints.oks, a, b, sigmas=SIGMAS, **options)
    np.testing.assert_allclose(pairwise(keypoints.oks, a * scale, b * scale, sigmas=SIGMAS, **scaled), first, rtol=1e-9)


# Case K3: eps is all that an area of 0 has in the reference.
@pytest.mark.parametrize(
    ("eps", "off", "expected"), [(0.0, 0.0, 1.0), (0.0, 1e-9, 0.0), (EPS, 1e-9, 0.793), (EPS, 0.0, 1.0)]
)
def test_oks_of_area_zero(xp, eps, off, expected):
    a, b = array(xp, LINE + np.array([off, 0.0])), array(xp, LINE)
    # 1e-9 is near the spacing of numbers around 100, so the points lie at 0.
    a, b = a - array(xp, LINE), b - array(xp, LINE)
    if off:
        a = array(xp, np.full((17, 2), [off, 0.0]))
    assert float(keypoints.oks(a, b, area=0.0, sigmas="coco", eps=eps)) == pytest.approx(expected, abs=5e-4)


def test_nan_stays_in_its_element_and_unlabelled_points_may_hold_anything(xp):
    b = np.zeros((3, 2, 2))
    b[1, 0, 0] = math.nan
    b[2, 1] = math.nan
    visible = [[1, 1], [1, 1], [1, 0]]
    own = {"visible": array(xp, visible, "int64"), "area": array(xp, [100.0] * 3), "sigmas": (0.1, 0.1)}
    actual = numbers(keypoints.oks(array(xp, np.zeros((3, 2, 2))), array(xp, b), **own))
    assert actual[0] == actual[2] == 1
    assert math.isnan(actual[1])


def test_half_precision_follows_its_input():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float16, torch.bfloat16):
        a = torch.tensor(LINE, dtype=dtype)
        out = keypoints.oks(a, a, area=torch.tensor(9000.0, dtype=dtype), sigmas="coco")
        assert out.dtype == dtype
        assert float(out) == 1
        loss = losses.keypoints.oks(
            a[None], a[None], area=torch.tensor([9e3]).to(dtype), sigmas="coco", reduction="mean"
        )
        assert loss.dtype == torch.float32


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"area": 1.0}, TypeError, "`sigmas` must be given"),
        ({"sigmas": "coco"}, TypeError, "`area` must be given"),
        # Case K12: both numbers.
        (
            {"sigmas": "crowdpose", "area": 1.0},
            ValueError,
            "`b` must have as many points as `sigmas` has numbers, 14, got 17",
        ),
        ({"sigmas": "coc", "area": 1.0}, ValueError, "did you mean 'coco'"),
        ({"sigmas": "mpii", "area": 1.0}, ValueError, "pckh"),
        ({"sigmas": [0.1, -1.0], "area": 1.0}, ValueError, r"`sigmas\[1\]` must be a positive number, got -1.0"),
        ({"sigmas": "coco", "area": 1.0, "visible": np.ones(16)}, ValueError, r"`visible` must have shape \(..., 17\)"),
        ({"sigmas": "coco", "area": 1.0, "box": np.ones(5)}, ValueError, r"`box` must have shape \(..., 4\)"),
        ({"sigmas": "coco", "area": 1.0, "boxes": 1}, TypeError, "unexpected keyword argument 'boxes'"),
    ],
)
def test_bad_options_are_named(options, error, words):
    with pytest.raises(error, match=words):
        keypoints.oks(LINE, LINE, **options)


def test_bad_shapes_are_named():
    with pytest.raises(ValueError, match=r"`a` must have shape \(..., K, 2\), or \(..., K, 3\) with v, got \(17, 4\)"):
        keypoints.oks(np.zeros((17, 4)), LINE, area=1.0, sigmas="coco")
    with pytest.raises(ValueError, match="`a` and `b` must have as many points, got 13 and 17"):
        keypoints.oks(LINE[:13], LINE, area=1.0, sigmas="coco")
    with pytest.raises(ValueError, match="`visible` must not be given if `b` has v"):
        keypoints.oks(LINE, np.c_[LINE, np.ones(17)], area=1.0, sigmas="coco", visible=np.ones(17))
    with pytest.raises(ValueError, match="`area` belongs to the second set, of 2 objects, got shape"):
        pairwise(keypoints.oks, LINE[None], np.stack([LINE, LINE]), area=np.ones(3), sigmas="coco")
    with pytest.raises(ValueError, match=r"`area` must have shape \(..., objects\) for all pairs"):
        pairwise(keypoints.oks, LINE[None], LINE[None], area=1.0, sigmas="coco")


def test_skeletons_have_as_many_sigmas_as_points():
    assert {name: x.number for name, x in keypoints.SKELETONS.items()} == {
        "coco": 17,
        "crowdpose": 14,
        "wholebody": 133,
        "mpii": 16,
    }
    np.testing.assert_allclose(keypoints.COCO.sigmas, COCO)
    assert keypoints.COCO.sigmas == tuple(COCO)  # to the bit, as in the reference
    assert keypoints.WHOLEBODY.sigmas[:17] == pytest.approx(keypoints.COCO.sigmas)
    # The sum of the published list.
    assert sum(keypoints.WHOLEBODY.sigmas) == pytest.approx(3.861, abs=1e-9)
    with pytest.raises(ValueError, match="`sigmas` must be as many as `points`, 2, got 1"):
        keypoints.Skeleton(name="x", sigmas=(0.1,), points=("a", "b"))
    with pytest.raises(ValueError, match="`edges` must name points 0 to 0, got"):
        keypoints.Skeleton(name="x", sigmas=(0.1,), edges=((0, 1),))


class TestLoss:
    @pytest.mark.proves("eager", "losses.keypoints.oks")
    def test_loss_is_one_minus_oks_and_leaves_out_objects_without_points(self, xp):
        a, b, options = random_sets()
        options = given(xp, {"visible": options["visible"], "area": options["area"]}) | {"sigmas": SIGMAS}
        p, q = array(xp, a[:4]), array(xp, b)
        each = 1 - numbers(keypoints.oks(p, q, **options))
        each[-1] = 0  # without a labelled point
        assert_close(losses.keypoints.oks(p, q, **options), each, like=p, ulp=16)
        assert_close(losses.keypoints.oks(p, q, reduction="mean", **options), each.sum() / 3, like=p, ulp=16)
        where = xp.asarray([True, False, True, True])
        expected = (each[0] + each[2]) / 2
        assert_close(losses.keypoints.oks(p, q, reduction="mean", where=where, **options), expected, like=p, ulp=16)
        weight = array(xp, [1.0, 2.0, 3.0, 4.0])
        weighted = (each * [1, 2, 3, 4]).sum() / 6
        assert_close(losses.keypoints.oks(p, q, reduction="mean", weight=weight, **options), weighted, like=p, ulp=16)

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_gradients_are_finite_everywhere(self, dtype):
        torch = pytest.importorskip("torch")
        kind = getattr(torch, dtype)
        far = 1e18 if dtype == "float32" else 1e150
        points = torch.tensor([0.0, 1e-30, 1.0, 50.0, 1e6, far, -far], dtype=kind)
        areas = torch.tensor([0.0, 1e-30, 1.0, 1e4, 1e30, -5.0], dtype=kind)
        pred = torch.zeros(7, 6, 1, 2, dtype=kind)
        pred[..., 0] = points[:, None, None]
        pred.requires_grad_()
        target = torch.zeros(1, 1, 1, 3, dtype=kind)
        target[..., 2] = 2
        loss = losses.keypoints.oks(pred, target, area=areas[None], sigmas=(0.05,), reduction="sum")
        loss.backward()
        assert torch.isfinite(loss)
        assert torch.isfinite(pred.grad).all()

    def test_gradient_of_left_out_rows_is_zero(self):
        torch = pytest.importorskip("torch")
        pred = torch.full((2, 3, 2), math.nan, requires_grad=True)
        target = torch.full((2, 3, 3), math.nan)
        target[..., 2] = 0
        loss = losses.keypoints.oks(pred, target, area=torch.full((2,), math.nan), sigmas=(0.1,) * 3, reduction="mean")
        loss.backward()
        assert float(loss.detach()) == 0
        assert not pred.grad.any()

    def test_gradient_equals_finite_differences(self):
        torch = pytest.importorskip("torch")
        a, b, options = random_sets()
        own = {"visible": torch.tensor(options["visible"]), "area": torch.tensor(options["area"]), "sigmas": SIGMAS}
        pred = torch.tensor(a[:4], requires_grad=True)
        assert torch.autograd.gradcheck(lambda x: losses.keypoints.oks(x, torch.tensor(b), **own), pred)

    def test_compiled_mapped_and_jitted(self):
        torch = pytest.importorskip("torch")
        a, b, options = random_sets()
        area = torch.tensor(options["area"])
        sigmas = tuple(SIGMAS)

        def loss(p, q, area):
            return losses.keypoints.oks(p, q, area=area, sigmas=sigmas, reduction="none")

        p, q = torch.tensor(a[:4]), torch.tensor(b)
        expected = loss(p, q, area)
        torch.compiler.reset()
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(p, q, area), expected)
        torch.testing.assert_close(torch.func.vmap(loss)(p, q, area), expected)
        jax = pytest.importorskip("jax")
        arrays = [jax.numpy.asarray(x) for x in (a[:4], b, options["area"])]
        np.testing.assert_allclose(jax.jit(loss)(*arrays), numbers(expected), rtol=1e-4, atol=1e-6)
        gradient = jax.grad(lambda *x: loss(*x).sum())(*arrays)
        assert np.isfinite(gradient).all()

    def test_integers_have_no_gradient(self):
        with pytest.raises(TypeError, match="`pred` must have a floating dtype"):
            losses.keypoints.oks(np.zeros((1, 1, 2), dtype=int), np.zeros((1, 1, 2)), area=[1.0], sigmas=[0.1])


class TestDistances:
    # Case P1: at the threshold a point is not correct; rates of points are averaged, not pairs.
    @pytest.mark.proves("eager", "keypoints.pck")
    def test_pck_is_strict_and_averages_points(self, xp):
        truth = np.zeros((2, 2, 2))
        found = np.zeros((2, 2, 2))
        found[:, 0, 0] = 5  # a distance of half the norm
        visible = array(xp, [[1, 1], [1, 0]], "int64")
        own = {"norm": array(xp, [10.0, 10.0]), "threshold": 0.5, "visible": visible}
        p, q = array(xp, found), array(xp, truth)
        assert_close(keypoints.pck(p, q, **own), 0.5, like=p)
        assert_close(keypoints.pck(p, q, average="pairs", **own), 1 / 3, like=p)
        assert_close(keypoints.pck(p, q, average="none", **own), [0.0, 1.0], like=p)
        assert_close(keypoints.pck(p, q, **(own | {"threshold": 0.51})), 1.0, like=p)

    def test_pck_of_nothing_is_nan(self):
        p, norm = np.zeros((2, 1, 2)), np.array([1.0, 0.0])
        assert math.isnan(keypoints.pck(p, p, norm=norm, visible=[[0], [1]]))
        assert float(keypoints.pck(p, p, norm=norm)) == 1

    @pytest.mark.proves("eager", "keypoints.pckh", library="numpy")
    def test_pckh_with_options_of_mpii(self):
        """Case P3: mmpose adds a pixel, leaves out pelvis and thorax, and weighs points by their number."""
        truth, visible = rng.uniform(10, 90, (9, 16, 2)), rng.integers(0, 2, (9, 16))
        found = truth - 1 + rng.normal(0, 8, (9, 16, 2))
        head = rng.uniform(5, 20, (9, 2)).repeat(2, axis=1) * [0, 0, 1, 1] + 3 * np.array([0, 0, 1, 1])
        norm = 0.6 * np.hypot(head[:, 2], head[:, 3])
        near = np.linalg.norm(found + 1 - truth, axis=-1) / norm[:, None] < 0.5
        count = visible.sum(axis=0)
        rates = np.array([near[visible[:, k] > 0, k].mean() if count[k] else 0 for k in range(16)])
        kept = [k for k in range(16) if k not in (6, 7)]
        expected = (rates[kept] * count[kept]).sum() / count[kept].sum()
        actual = keypoints.pckh(found + 1, truth, head=head, visible=visible, average="pairs", points=kept)
        assert float(actual) == pytest.approx(expected, abs=1e-12)
        plain = keypoints.pckh(found + 1, truth, head=head, visible=visible)
        assert float(plain) == pytest.approx(rates[count > 0].mean(), abs=1e-12)

    @pytest.mark.proves("eager", "keypoints.nme")
    def test_nme_by_hand(self, xp):
        truth = array(xp, [[[0.0, 0], [10, 0], [5, 5]], [[0, 0], [0, 0], [0, 0]]])
        found = array(xp, [[[3.0, 4], [10, 0], [99, 99]], [[1, 1], [1, 1], [1, 1]]])
        visible = array(xp, [[1, 1, 0], [0, 0, 0]], "int64")
        actual = keypoints.nme(found, truth, norm=array(xp, [10.0, 10.0]), visible=visible)
        np.testing.assert_allclose(numbers(actual), [0.25, math.nan])

    def test_gradient_of_nme_is_finite_at_zero(self):
        torch = pytest.importorskip("torch")
        pred = torch.zeros(1, 2, 2, requires_grad=True)
        keypoints.nme(pred, torch.zeros(1, 2, 2), norm=torch.ones(1)).sum().backward()
        assert not pred.grad.any()

    @pytest.mark.parametrize(
        ("measure", "expected"), [("longest", 40), ("root_area", math.sqrt(1200)), ("diagonal", 50)]
    )
    @pytest.mark.proves("eager", "keypoints.box_size")
    def test_box_size(self, xp, measure, expected):
        """Sides and corners are never confused: the format says which they are."""
        box = array(xp, [[10.0, 20, 30, 40]])
        assert_close(keypoints.box_size(box, measure=measure, format="xywh"), [expected], like=box)
        box = array(xp, [[10.0, 20, 40, 60]])
        assert_close(keypoints.box_size(box, measure=measure), [expected], like=box)

    def test_errors(self):
        with pytest.raises(TypeError, match="`norm` must be given"):
            keypoints.pck(LINE, LINE)
        with pytest.raises(ValueError, match="`points` must be numbers of points, got 17"):
            keypoints.pckh(LINE, LINE, head=[0, 0, 1, 1], points=[17])
        with pytest.raises(ValueError, match="with points 0 and 20"):
            keypoints.point_distance(LINE, 0, 20)
        with pytest.raises(TypeError, match=r"use `keypoints.oks`"):
            pairwise(keypoints.pck, LINE[None], LINE[None], norm=[1.0])


class TestSigmas:
    def test_estimate_of_simulated_annotations(self):
        """Annotators whose sigmas are known: the relative error of 4000 objects annotated 3 times is below 1 %."""
        known, objects = np.array([0.026, 0.1, 0.06]), 4000
        area = rng.uniform(200, 9000, objects)
        deviation = known * np.sqrt(area / 2)[:, None]
        points = (
            rng.uniform(0, 99, (objects, 1, 3, 2)) + rng.normal(size=(objects, 3, 3, 2)) * deviation[:, None, :, None]
        )
        np.testing.assert_allclose(keypoints.estimate_sigmas(points, area=area), known, rtol=0.03)

    @pytest.mark.proves("eager", "keypoints.estimate_sigmas")
    def test_estimate_goes_by_visible_annotations(self, xp):
        points = np.zeros((2, 3, 2, 3))
        points[0, :, 0, 0], points[..., 2] = [0, 2, 500], 1
        points[0, 2, 0, 2] = 0
        points[:, 1:, 1, 2] = 0  # one annotation each
        actual = keypoints.estimate_sigmas(array(xp, points), area=array(xp, [100.0, 100.0]))
        # d^2 / area is 2 / 100 for the first object, and 0 for the second.
        np.testing.assert_allclose(numbers(actual), [math.sqrt(0.01), math.nan])

    def test_errors(self):
        with pytest.raises(ValueError, match="at least R = 2 annotations"):
            keypoints.estimate_sigmas(np.zeros((3, 1, 2, 2)), area=np.ones(3))
        with pytest.raises(ValueError, match=r"`area` must have shape \(3,\), got \(2,\)"):
            keypoints.estimate_sigmas(np.zeros((3, 2, 2, 2)), area=np.ones(2))


@pytest.mark.parametrize(("dtype", "exponent"), [("float32", 87.0), ("float64", 700.0)])
def test_similarity_of_far_points_is_exact_down_to_the_smallest_number(xp, dtype, exponent):
    # d^2 / (2 area (2 sigma)^2) of sigma 1/2 and area 1/2 is d^2: 0 only where the power itself is.
    far = array(xp, [[exponent**0.5, 0.0]], dtype)
    actual = keypoints.oks(far, array(xp, [[0.0, 0.0]], dtype), area=0.5, sigmas=(0.5,))
    assert float(actual) == pytest.approx(math.exp(-exponent), rel=1e-4)
    assert float(actual) > 0
