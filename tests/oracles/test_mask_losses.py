"""Losses and distances of masks against MONAI, segmentation_models_pytorch and torchmetrics."""

import importlib.util
import sys
import types

import numpy as np
import pytest

from omniou import losses, masks

torch = pytest.importorskip("torch")
m = losses.masks

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:monai"),
]


@pytest.fixture(scope="module")
def monai():
    return pytest.importorskip("monai.losses", reason="MONAI is not installed")


@pytest.fixture(scope="module")
def smp():
    """The losses alone: the package itself asks for timm and torchvision."""
    name = "segmentation_models_pytorch"
    spec = importlib.util.find_spec(name)
    if spec is None:
        pytest.skip(f"{name} is not installed")
    package = types.ModuleType(name)
    package.__path__ = list(spec.submodule_search_locations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, package)
        yield importlib.import_module(f"{name}.losses")


@pytest.fixture
def data():
    torch.manual_seed(0)
    logits, labels = torch.randn(3, 4, 9, 8, dtype=torch.float64), torch.randint(0, 4, (3, 9, 8))
    return logits.requires_grad_(), labels


def one_hot(labels):
    return torch.nn.functional.one_hot(labels, 4).movedim(-1, 1).double()


def assert_same(ours, theirs, logits, *, atol=1e-9):
    """Equal values and gradients."""
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-9)
    by = [torch.autograd.grad(x, logits, retain_graph=True)[0] for x in (ours, theirs)]
    torch.testing.assert_close(*by, rtol=1e-5, atol=atol)


@pytest.mark.parametrize("batch", [False, True])
def test_region_losses_equal_monai(monai, data, batch):
    logits, labels = data
    own = {"activation": "softmax", "per": "batch" if batch else "image", "smooth": 1.0}
    theirs = {"softmax": True, "batch": batch, "smooth_nr": 1.0, "smooth_dr": 1.0}
    t = one_hot(labels)
    assert_same(m.dice(logits, labels, **own), monai.DiceLoss(**theirs)(logits, t), logits)
    assert_same(
        m.dice(logits, labels, squared=True, **own), monai.DiceLoss(squared_pred=True, **theirs)(logits, t), logits
    )
    # MONAI doubles its Jaccard's numerator and denominator, but not what is added to them.
    halved = own | {"smooth": 0.5}
    assert_same(m.jaccard(logits, labels, **halved), monai.DiceLoss(jaccard=True, **theirs)(logits, t), logits)
    theirs_of_tversky = monai.TverskyLoss(alpha=0.3, beta=0.7, **theirs)(logits, t)
    assert_same(m.tversky(logits, labels, alpha=0.3, beta=0.7, **own), theirs_of_tversky, logits)


@pytest.mark.parametrize("weighting", ["square", "simple", "uniform"])
@pytest.mark.parametrize("batch", [False, True])
def test_generalised_dice_equals_monai(monai, data, weighting, batch):
    logits, labels = data
    labels[0][labels[0] == 2] = 1  # an absent class
    theirs = monai.GeneralizedDiceLoss(softmax=True, w_type=weighting, batch=batch, smooth_nr=0, smooth_dr=0)
    ours = m.generalised_dice(
        logits, labels, activation="softmax", weighting=weighting, per="batch" if batch else "image"
    )
    assert_same(ours, theirs(logits, one_hot(labels)), logits)


def test_region_losses_equal_segmentation_models_pytorch(smp, data):
    logits, labels = data
    own = {"activation": "softmax", "per": "batch", "smooth": 1.0, "ignore_index": 3}
    labels = torch.where(labels == 3, 2, labels)
    labels[0, 0] = 3
    few = logits[:, :3]
    theirs = smp.DiceLoss("multiclass", smooth=1.0, eps=0.0, ignore_index=3)(few, labels)
    # Theirs is halved in numerator and denominator, but for what is added.
    assert_same(m.dice(few, labels, **own | {"smooth": 2.0}), theirs, logits)
    theirs = smp.TverskyLoss("multiclass", smooth=1.0, eps=0.0, ignore_index=3, alpha=0.3, beta=0.7)
    assert_same(m.tversky(few, labels, alpha=0.3, beta=0.7, **own), theirs(few, labels), logits)
    own.pop("ignore_index")
    kept = labels % 3
    assert_same(m.jaccard(few, kept, **own), smp.JaccardLoss("multiclass", smooth=1.0, eps=0.0)(few, kept), logits)


@pytest.mark.parametrize("per_image", [False, True])
def test_lovasz_losses_equal_segmentation_models_pytorch(smp, data, per_image):
    """Berman's reference implementation, as it is copied there, with sums in float32."""
    logits, labels = data[0].detach().float().requires_grad_(), data[1]
    labels[0, :3] = 9
    labels[1][labels[1] == 2] = 0
    own = {"per": "image" if per_image else "batch", "ignore_index": 9}
    theirs = smp.LovaszLoss("multiclass", per_image=per_image, ignore_index=9)(logits, labels)
    assert_same(m.lovasz_softmax(logits, labels, activation="softmax", **own), theirs, logits, atol=1e-7)
    binary = torch.where(labels == 9, 9, labels % 2)
    theirs = smp.LovaszLoss("binary", per_image=per_image, ignore_index=9)(logits[:, 0], binary)
    assert_same(m.lovasz_hinge(logits[:, 0], binary, **own), theirs, logits, atol=1e-7)


def blobs(seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:36, :36]  # torchmetrics 1.9 is wrong unless images are square
    centre, size = rng.uniform(10, 20, (6, 2, 1, 1)), rng.uniform(3, 9, (6, 1, 1))
    return (y - centre[:, 0]) ** 2 + (x - centre[:, 1]) ** 2 < size**2


@pytest.mark.parametrize("spacing", [1.0, (0.5, 2.0)])
def test_surface_distances_equal_monai(spacing):
    metrics = pytest.importorskip("monai.metrics")
    a, b = blobs(0), blobs(1)
    p, q = (torch.tensor(x)[:, None].float() for x in (a, b))
    options = {"include_background": True, "spacing": spacing if spacing == 1.0 else list(spacing)}
    for percentile in (None, 95):
        theirs = metrics.compute_hausdorff_distance(p, q, percentile=percentile, **options)
        ours = masks.hausdorff(a, b, percentile=percentile or 100, spacing=spacing)
        np.testing.assert_allclose(ours, theirs[:, 0], rtol=1e-6)
    for symmetric in (False, True):
        theirs = metrics.compute_average_surface_distance(p, q, symmetric=symmetric, **options)
        ours = masks.average_surface_distance(a, b, directed=not symmetric, spacing=spacing)
        np.testing.assert_allclose(ours, theirs[:, 0], rtol=1e-6)


@pytest.mark.parametrize("spacing", [1.0, (2.0, 0.5, 1.0)])
def test_distances_of_volumes_equal_monai_and_scipy(spacing):
    metrics = pytest.importorskip("monai.metrics")
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(5)
    z, y, x = np.mgrid[:12, :16, :10]
    centres, radii = rng.uniform(4, 8, (4, 3, 1, 1, 1)), rng.uniform(2, 5, (4, 1, 1, 1))
    a, b = np.split(sum((p - centres[:, k]) ** 2 for k, p in enumerate((z, y, x))) < radii**2, 2)
    p, q = (torch.tensor(x)[:, None].float() for x in (a, b))
    options = {"include_background": True, "spacing": spacing if spacing == 1.0 else list(spacing)}
    for percentile in (None, 95):
        theirs = metrics.compute_hausdorff_distance(p, q, percentile=percentile, **options)
        ours = masks.hausdorff(a, b, percentile=percentile or 100, spacing=spacing, spatial_axes=3)
        np.testing.assert_allclose(ours, theirs[:, 0], rtol=1e-6)
    theirs = metrics.compute_average_surface_distance(p, q, symmetric=True, **options)
    ours = masks.average_surface_distance(a, b, spacing=spacing, spatial_axes=3)
    np.testing.assert_allclose(ours, theirs[:, 0], rtol=1e-6)
    sides = (spacing,) * 3 if spacing == 1.0 else spacing
    outside, inside = (ndimage.distance_transform_edt(x, sampling=sides) for x in (~a[0], a[0]))
    expected = np.where(a[0], min(sides) - inside, outside)
    np.testing.assert_allclose(masks.signed_distance(a[0], spacing=spacing, spatial_axes=3), expected, atol=1e-12)


def test_hausdorff_equals_scipy_and_torchmetrics():
    distance = pytest.importorskip("scipy.spatial.distance")
    segmentation = pytest.importorskip("torchmetrics.functional.segmentation")
    a, b = blobs(2), blobs(3)

    def outline(mask):
        wide = np.pad(mask, 1)
        return np.argwhere(mask & ~(wide[2:, 1:-1] & wide[:-2, 1:-1] & wide[1:-1, 2:] & wide[1:-1, :-2]))

    directed = [distance.directed_hausdorff(outline(p), outline(q))[0] for p, q in zip(a, b, strict=True)]
    np.testing.assert_allclose(masks.hausdorff(a, b, directed=True), directed, rtol=1e-12)
    theirs = segmentation.hausdorff_distance(
        *(torch.tensor(x)[:, None].int() for x in (a, b)),
        num_classes=1,
        include_background=True,
        input_format="one-hot",
    )
    np.testing.assert_allclose(masks.hausdorff(a, b), theirs[:, 0], rtol=1e-6)


def test_boundary_loss_equals_that_of_its_authors():
    """After `one_hot2dist` and `SurfaceLoss` of github.com/LIVIAETS/boundary-loss."""
    ndimage = pytest.importorskip("scipy.ndimage")
    t = torch.tensor(blobs(4))[None]
    t[0, 2] = False

    def distances(mask):
        if not mask.any():
            return np.zeros(mask.shape)
        outside, inside = ndimage.distance_transform_edt(~mask), ndimage.distance_transform_edt(mask)
        return outside * ~mask - (inside - 1) * mask

    expected = np.stack([distances(mask) for mask in t[0].numpy()])
    np.testing.assert_allclose(masks.signed_distance(t[0].numpy()), expected, atol=1e-12)
    probabilities = torch.rand(1, 6, 36, 36, dtype=torch.float64)
    theirs = torch.einsum("bkwh,bkwh->bkwh", probabilities, torch.tensor(expected)[None]).mean()
    torch.testing.assert_close(m.boundary(probabilities, torch.tensor(expected)[None]), theirs)
