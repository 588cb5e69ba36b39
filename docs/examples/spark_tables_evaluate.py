"""COCO mAP of tables of Spark, whose rows are in any order and any partition.

python spark_tables_evaluate.py truth found

By itself the script starts a local session; spark-submit runs it on a cluster, whose workers must have omniou
installed. Any DataFrame with the columns of Parquet files (docs/files.md) does in place of `spark.read.parquet`.
"""

import argparse
import os
import pickle
import sys

import pyarrow as pa
from pyspark.sql import SparkSession, functions

from omniou import detection
from omniou.data import shards
from omniou.data.shards import states

FAN_IN = 8  # parts that one task merges
SCHEMA = "number long, result binary"


def row(number, part):
    return pa.table({"number": pa.array([number], pa.int64()), "result": pa.array([pickle.dumps(part)], pa.binary())})


def results(table):
    return [pickle.loads(x) for x in table["result"].to_pylist()]


def read(spark, path):
    """A table with the place of each row: of equal scores, the first row counts as the better one."""
    return spark.read.parquet(path).select("*", "_metadata.file_path", "_metadata.row_index")


def grouped(frame, count):
    """By a number that all rows of an image have."""
    image = frame["image_id"].cast("string")
    return frame.withColumn("number", functions.pmod(functions.xxhash64(image), functions.lit(count))).groupBy("number")


def in_order(table):
    return table.sort_by([("file_path", "ascending"), ("row_index", "ascending")])


def merged(key, table):
    return row(key[0].as_py(), shards.merge(results(table)))


def evaluate(targets, detections, count, **how):
    """The part of all rows, in `count` groups of images. No call of a function holds more than FAN_IN states."""
    rules = shards.Rules(**how)
    # A group may lack classes that others have, so all classes are known before the first detection is read.
    one_of_each = targets.dropDuplicates(["category_id"]).toArrow()
    classes = shards.united([rules.listing_of_table("the table", one_of_each)])

    def evaluated(key, truth, found):
        number = key[0].as_py()
        return row(number, rules.part_of_tables(f"group {number}", in_order(truth), in_order(found), classes))

    level = grouped(targets, count).cogroup(grouped(detections, count)).applyInArrow(evaluated, SCHEMA)
    while count > FAN_IN:
        level = level.groupBy(functions.floor(level["number"] / FAN_IN)).applyInArrow(merged, SCHEMA)
        count = -(-count // FAN_IN)
    return shards.merge(results(level.toArrow()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", help="Parquet of objects, as Spark reads it")
    parser.add_argument("detections", help="Parquet of detections")
    parser.add_argument("--count", type=int, default=16, help="groups of images that are evaluated apart")
    parser.add_argument("--protocol", default="coco")
    parser.add_argument("--state", help="also write the state to this file")
    given = parser.parse_args()

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of workers on this machine; else the first python3
    # Spark runs a task on each CPU, so that threads inside a task would only get in the way.
    spark = SparkSession.builder.config("spark.executorEnv.OMNIOU_THREADS", "1").getOrCreate()
    both = (read(spark, path) for path in (given.targets, given.detections))
    part = evaluate(*both, given.count, protocol=given.protocol)
    spark.stop()
    for finding in part.findings:
        print(f"warning: {finding}", file=sys.stderr)
    state = states.loads(part.state)
    if given.state:
        states.save(state, given.state)
    print(detection.compute([state]))


if __name__ == "__main__":
    main()
