"""COCO mAP of shards of files, evaluated by Spark's mapInPandas.

python spark_evaluate.py "truth/*.parquet" "found/*.parquet"

By itself the script starts a local session; spark-submit runs it on a cluster, whose workers must see the files and
have omniou installed.
"""

import argparse
import functools
import os
import pickle
import sys

import pandas as pd
from pyspark.sql import SparkSession, functions

from omniou import detection
from omniou.data import shards
from omniou.data.shards import states

FAN_IN = 8  # parts that one task merges
SCHEMA = "number long, result binary"


def row(number, result):
    return pd.DataFrame({"number": [number], "result": [pickle.dumps(result)]})


def results(frame):
    return [pickle.loads(x) for x in frame["result"]]


def mapped(spark, work, items):
    """A DataFrame of what `work` makes of each item, in a task for each."""

    def run(frames):
        for frame in frames:
            for number in frame["id"]:
                yield row(number, work(items[number]))

    return spark.range(0, len(items), 1, numPartitions=len(items)).mapInPandas(run, SCHEMA)


def merged(frame):
    return row(frame["number"].iloc[0] // FAN_IN, shards.merge(results(frame)))


def evaluate(spark, targets, detections, **how):
    """The part of all shards. No call of a function holds more than FAN_IN states."""
    rules = shards.Rules(**how)
    found = shards.find(targets, detections)
    # A shard may lack classes that others have, so all classes are known before the first detection is read.
    classes = shards.united(results(mapped(spark, rules.listing, found).toPandas()))
    level = mapped(spark, functools.partial(rules.part, categories=classes), found)
    count = len(found)
    while count > FAN_IN:
        level = level.groupBy(functions.floor(level["number"] / FAN_IN)).applyInPandas(merged, SCHEMA)
        count = -(-count // FAN_IN)
    return shards.merge(results(level.toPandas()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", help="file, directory or pattern of objects")
    parser.add_argument("detections", help="the same of detections; files go together by name")
    parser.add_argument("--protocol", default="coco")
    parser.add_argument("--state", help="also write the state to this file")
    given = parser.parse_args()

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of workers on this machine; else the first python3
    # Spark runs a task on each CPU, so that threads inside a task would only get in the way.
    spark = SparkSession.builder.config("spark.executorEnv.OMNIOU_THREADS", "1").getOrCreate()
    part = evaluate(spark, given.targets, given.detections, protocol=given.protocol)
    spark.stop()
    for finding in part.findings:
        print(f"warning: {finding}", file=sys.stderr)
    state = states.loads(part.state)
    if given.state:
        states.save(state, given.state)
    print(detection.compute([state]))


if __name__ == "__main__":
    main()
