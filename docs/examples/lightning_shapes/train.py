"""A small detector of squares and discs, trained until its mean average precision gets no better: `python train.py`."""

import itertools

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader

from omniou import losses
from omniou_integrations.torchmetrics import MeanAveragePrecision

SIDE, CELL = 64, 16  # of an image and of a cell, which holds the centre of one shape or of none
NOTHING, SQUARE, DISC = range(3)


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

    return DataLoader([scene(seed) for seed in range(first, first + count)], batch_size=32, collate_fn=batch, **options)


class Detector(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        widths = (1, 16, 32, 64, 64)
        stages = [
            nn.Sequential(nn.Conv2d(a, b, 3, 2, 1), nn.GroupNorm(4, b), nn.ReLU())
            for a, b in itertools.pairwise(widths)
        ]
        self.net = nn.Sequential(*stages, nn.Conv2d(widths[-1], 3 + 4, 3, 1, 1))
        corners = torch.cartesian_prod(torch.arange(0, SIDE, CELL), torch.arange(0, SIDE, CELL)).flip(1)
        self.register_buffer("middles", corners + CELL / 2)
        self.map = MeanAveragePrecision(output="tensor")

    def forward(self, images):
        """Logits (B, cells, 3), and boxes (B, cells, 4) of corners."""
        logits, shifts, sizes = self.net(images).flatten(2).transpose(1, 2).split([3, 2, 2], dim=-1)
        centre, half = self.middles + CELL * shifts.tanh(), CELL * sizes.sigmoid()
        return logits, torch.cat([centre - half, centre + half], dim=-1)

    def training_step(self, batch):
        images, targets = batch
        logits, boxes = self(images)
        classes = torch.full(logits.shape[:2], NOTHING)
        target_boxes = torch.zeros_like(boxes)
        for i, target in enumerate(targets):
            centre = (target["boxes"][:, :2] + target["boxes"][:, 2:]) / 2
            x, y = (centre // CELL).long().unbind(1)
            classes[i, y * (SIDE // CELL) + x] = target["labels"]
            target_boxes[i, y * (SIDE // CELL) + x] = target["boxes"]
        giou = losses.giou(boxes, target_boxes, where=classes != NOTHING, reduction="mean")
        return nn.functional.cross_entropy(logits.flatten(0, 1), classes.flatten()) + giou

    def validation_step(self, batch):
        images, targets = batch
        logits, boxes = self(images)
        scores, labels = logits.softmax(-1)[..., SQUARE:].max(-1)
        predictions = zip(boxes, scores, labels + SQUARE, strict=True)
        self.map.update([{"boxes": b, "scores": s, "labels": k} for b, s, k in predictions], targets)
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
