"""A small detector of squares and discs, trained until its mean average precision gets no better: `python train.py`.

omniou assigns the points of a grid to the shapes, has the loss of the boxes, removes duplicates and evaluates.
"""

import itertools

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader

from omniou import losses, matching, nms
from omniou_integrations.torchmetrics import MeanAveragePrecision

SIDE, CELL, STRIDE = 64, 16, 8  # of an image, of a cell with a shape or none, and of the grid that looks for them
SQUARE, DISC = NAMES = range(2)


def scene(seed):
    """Draw an image (1, 64, 64) and its target, with a shape in about every third cell."""
    g = torch.Generator().manual_seed(seed)
    cells = torch.cartesian_prod(torch.arange(0, SIDE, CELL), torch.arange(0, SIDE, CELL))
    cells = cells[torch.rand(len(cells), generator=g) < 0.3]
    centre = cells + CELL * (0.3 + 0.4 * torch.rand(len(cells), 2, generator=g))
    half = 4 + 4 * torch.rand(len(cells), 1, generator=g)
    labels = torch.randint(SQUARE, DISC + 1, (len(cells),), generator=g)
    image = 0.05 * torch.randn(1, SIDE, SIDE, generator=g)
    y, x = torch.meshgrid(torch.arange(SIDE) + 0.5, torch.arange(SIDE) + 0.5, indexing="ij")
    for (cx, cy), r, label in zip(centre, half, labels, strict=True):
        dx, dy = (x - cx).abs(), (y - cy).abs()
        image[0, torch.maximum(dx, dy) < r if label == SQUARE else dx**2 + dy**2 < r**2] += 1
    return image, {"boxes": torch.cat([centre - half, centre + half], 1), "labels": labels}


def scenes(first, count, **options):
    def batch(samples):
        return torch.stack([image for image, _ in samples]), [target for _, target in samples]

    return DataLoader([scene(seed) for seed in range(first, first + count)], batch_size=16, collate_fn=batch, **options)


def padded(targets):
    """Boxes (B, M, 4), labels (B, M), and which of them are there, (B, M)."""
    there = [torch.ones(len(target["labels"]), dtype=torch.bool) for target in targets]
    columns = [target["boxes"] for target in targets], [target["labels"] for target in targets], there
    return [nn.utils.rnn.pad_sequence(column, batch_first=True) for column in columns]


class Detector(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        widths = (1, 16, 32, 64)
        stages = [
            nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.GroupNorm(4, b), nn.ReLU())
            for a, b in itertools.pairwise(widths)
        ]
        middle = nn.Sequential(nn.Conv2d(widths[-1], 64, 3, 1, 1), nn.ReLU())
        self.net = nn.Sequential(*stages, middle, nn.Conv2d(64, len(NAMES) + 4, 3, 1, 1))
        steps = torch.arange(0, SIDE, STRIDE) + STRIDE / 2
        self.register_buffer("points", torch.cartesian_prod(steps, steps).flip(1))
        self.map = MeanAveragePrecision(output="tensor")

    def forward(self, images):
        """Logits (B, A, classes), and boxes (B, A, 4) by the distances of their sides from the points of the grid."""
        logits, sides = self.net(images).flatten(2).transpose(1, 2).split([len(NAMES), 4], dim=-1)
        sides = STRIDE * nn.functional.softplus(sides)
        return logits, torch.cat([self.points - sides[..., :2], self.points + sides[..., 2:]], dim=-1)

    def training_step(self, batch):
        images, targets = batch
        logits, boxes = self(images)
        objects, labels, there = padded(targets)
        assigned = matching.task_aligned(
            boxes.detach(), logits.detach().sigmoid(), self.points, objects, labels, where=there, topk=4
        )
        positive = assigned.objects >= 0
        wanted = assigned.scores[..., None] * (assigned.take(labels)[..., None] == torch.arange(len(NAMES)))
        total = assigned.scores.sum().clamp(min=1)
        classes = nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")
        giou = losses.giou(boxes, assigned.take(objects), where=positive, weight=assigned.scores, reduction="sum")
        return (classes + 2 * giou) / total

    def validation_step(self, batch):
        images, targets = batch
        logits, boxes = self(images)
        scores, labels = logits.sigmoid().max(-1)
        kept = nms.hard(boxes, scores, 0.6, groups=labels, output="mask")
        rows = zip(boxes, scores, labels, kept, strict=True)
        self.map.update([{"boxes": b[k], "scores": s[k], "labels": c[k]} for b, s, c, k in rows], targets)
        self.log("val_map", self.map)  # over the whole epoch, and all processes

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


def main(**options):
    lightning.seed_everything(0, verbose=False)
    stop = EarlyStopping("val_map", mode="max", patience=4)
    trainer = lightning.Trainer(max_epochs=40, callbacks=[stop], logger=False, enable_checkpointing=False, **options)
    trainer.fit(Detector(), scenes(0, 512, shuffle=True), scenes(10_000, 64))
    return trainer, stop


if __name__ == "__main__":
    trainer, _ = main()
    print(f"mean average precision {trainer.callback_metrics['val_map']:.3f} after {trainer.current_epoch} epochs")  # noqa: T201
