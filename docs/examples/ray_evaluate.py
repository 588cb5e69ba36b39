"""COCO mAP of shards of files, evaluated by tasks of Ray.

python ray_evaluate.py "truth/*.parquet" "found/*.parquet"

Without a cluster, Ray starts workers on this machine. The variable RAY_ADDRESS names a cluster, whose workers must see
the files and have omniou installed.
"""

import argparse
import sys

import ray

from omniou import detection
from omniou.data import shards
from omniou.data.shards import states

FAN_IN = 8  # parts that one task merges


@ray.remote
def listing(rules, shard):
    return rules.listing(shard)


@ray.remote
def evaluated(rules, shard, classes):
    return rules.part(shard, classes)


@ray.remote
def merged(*parts):
    return shards.merge(parts)


def evaluate(targets, detections, **how):
    """The part of all shards. No task and no process holds more than FAN_IN states."""
    rules = shards.Rules(**how)
    found = shards.find(targets, detections)
    # A shard may lack classes that others have, so all classes are known before the first detection is read.
    classes = shards.united(ray.get([listing.remote(rules, shard) for shard in found]))
    level = [evaluated.remote(rules, shard, classes) for shard in found]
    while len(level) > 1:
        level = [merged.remote(*level[k : k + FAN_IN]) for k in range(0, len(level), FAN_IN)]
    return ray.get(level[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", help="file, directory or pattern of objects")
    parser.add_argument("detections", help="the same of detections; files go together by name")
    parser.add_argument("--protocol", default="coco")
    parser.add_argument("--state", help="also write the state to this file")
    given = parser.parse_args()

    # Ray runs a task on each CPU, so that threads inside a task would only get in the way.
    ray.init(runtime_env={"env_vars": {"OMNIOU_THREADS": "1"}})
    part = evaluate(given.targets, given.detections, protocol=given.protocol)
    for finding in part.findings:
        print(f"warning: {finding}", file=sys.stderr)
    state = states.loads(part.state)
    if given.state:
        states.save(state, given.state)
    print(detection.compute([state]))


if __name__ == "__main__":
    main()
