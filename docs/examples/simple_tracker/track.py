"""A multi-object tracker that is evaluated in its loop: docs/simple-tracker.md shows it."""

import numpy as np

from omniou import boxes, matching, pairwise, tracking


class IouTracker:
    """Give each detection the id of the track whose predicted box overlaps it most."""

    def __init__(self, threshold=0.3, patience=5):
        self.threshold, self.patience = threshold, patience
        self.boxes, self.speed = np.zeros((2, 0, 4))
        self.ids, self.lost, self.next = np.zeros(0, int), np.zeros(0, int), 1

    def update(self, detections):
        """Boxes (N, 4) -> ids (N,)."""
        expected = self.boxes + self.speed
        match = matching.greedy(pairwise(boxes.iou, detections, expected), threshold=self.threshold)
        known = match >= 0
        # A track that nobody continues goes on as before, and ends when it is lost for too long.
        self.boxes, self.lost = expected, self.lost + 1
        seen = match[known]
        self.speed[seen] = 0.7 * self.speed[seen] + 0.3 * (detections[known] - expected[seen] + self.speed[seen])
        self.boxes[seen], self.lost[seen] = detections[known], 0
        # Each other detection starts a track.
        new = self.next + np.arange((~known).sum())
        self.next += len(new)
        ids = np.zeros(len(detections), int)
        ids[known], ids[~known] = self.ids[seen], new
        self.boxes = np.concatenate([self.boxes, detections[~known]])
        self.speed = np.concatenate([self.speed, np.zeros((len(new), 4))])
        self.ids, self.lost = np.concatenate([self.ids, new]), np.concatenate([self.lost, np.zeros(len(new), int)])
        kept = self.lost <= self.patience
        self.boxes, self.speed, self.ids, self.lost = (x[kept] for x in (self.boxes, self.speed, self.ids, self.lost))
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
    evaluator = tracking.Evaluator()
    for truth, detections in scene(**options):
        ids = tracker.update(detections)
        evaluator.update({"ids": np.arange(len(truth)), "boxes": truth}, {"ids": ids, "boxes": detections})
    return evaluator.compute()
