"""A multi-object tracker that is evaluated in its loop: docs/simple-tracker.md shows it."""

import numpy as np

from omniou import boxes, matching, pairwise, tracking


class IouTracker:
    """Give each detection the id of the track whose predicted box overlaps it most."""

    def __init__(self, threshold=0.3, patience=5):
        self.threshold, self.patience, self.next = threshold, patience, 1
        self.boxes, self.speed = np.zeros((2, 0, 4))
        self.ids, self.lost = np.zeros((2, 0), int)  # frames since a track was seen

    def update(self, detections):
        """Boxes (N, 4) -> ids (N,)."""
        expected = self.boxes + self.speed
        overlap = pairwise(boxes.iou, detections, expected)
        match = matching.greedy(overlap, threshold=self.threshold)
        known, seen = match >= 0, match[match >= 0]
        # A track that no detection continues goes on as before, and ends if it is lost for too long.
        moved = detections[known] - self.boxes[seen]
        self.speed[seen] = 0.7 * self.speed[seen] + 0.3 * moved
        self.boxes, self.lost = expected, self.lost + 1
        self.boxes[seen], self.lost[seen] = detections[known], 0
        # Each other detection starts a track.
        new = self.next + np.arange((~known).sum())
        self.next += len(new)
        ids = np.zeros(len(detections), int)
        ids[known], ids[~known] = self.ids[seen], new
        kept = self.lost <= self.patience
        self.boxes = np.concatenate([self.boxes[kept], detections[~known]])
        self.speed = np.concatenate([self.speed[kept], np.zeros((len(new), 4))])
        self.ids = np.concatenate([self.ids[kept], new])
        self.lost = np.concatenate([self.lost[kept], np.zeros(len(new), int)])
        return ids


def scene(frames=150, objects=12, seed=0):
    """For each frame the boxes of all objects, and what a detector finds."""
    random = np.random.default_rng(seed)
    centre, speed = random.uniform(50, 590, (objects, 2)), random.uniform(-4, 4, (objects, 2))
    size = random.uniform(30, 60, (objects, 2))
    for _ in range(frames):
        speed = np.where((centre < 30) | (centre > 610), -speed, speed)
        centre = centre + speed
        truth = np.concatenate([centre - size / 2, centre + size / 2], axis=1)
        found = truth[random.uniform(size=objects) > 0.1]
        found = found + random.normal(0, 1.5, found.shape)
        false = random.uniform(0, 600, (int(random.uniform() < 0.1), 2))
        yield truth, np.concatenate([found, np.concatenate([false, false + 40], axis=1)])


def evaluated(tracker, **options):
    """The numbers of a tracker on a scene."""
    evaluator = tracking.Evaluator()
    for truth, detections in scene(**options):
        ids = tracker.update(detections)
        objects = {"ids": np.arange(len(truth)), "boxes": truth}
        evaluator.update(objects, {"ids": ids, "boxes": detections})
    return evaluator.compute()
