"""Replays recorded events on a Spark cluster: each task runs a part of them through `detection-content replay --partial`, and the driver joins the parts.

    spark-submit replay_job.py --input s3a://bucket/events/2026 --out /results/2026 --parts 2000 --time-field @timestamp --event-field message --ruleset /opt/ruleset

Options that are not explained by --help are those of `detection-content replay`, for both phases.
"""

import argparse
import os
import shlex
import subprocess
import tempfile

import pyarrow
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

RESULT = "part string, bytes binary"
# Bytes of a row: rows of some megabytes are as fast, and take more memory.
CHUNK = 1 << 20


def first_phase(call):
    """The function for `mapInArrow`: sends the lines of a partition to the command, and returns what it prints."""

    def run(batches):
        name = f"part-{TaskContext.get().partitionId():06d}"
        process, printed = None, tempfile.TemporaryFile()
        for batch in batches:
            if process is None:
                process = subprocess.Popen([*call, "--name", name], stdin=subprocess.PIPE, stdout=printed)
            lines = batch.column(0).to_pylist()
            process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        if process is None:  # A partition without lines needs no command.
            return
        process.stdin.close()
        if process.wait() != 0:
            raise RuntimeError(f"{name}: the command ended with {process.returncode}")
        printed.seek(0)
        while chunk := printed.read(CHUNK):
            yield pyarrow.RecordBatch.from_pydict({"part": [name], "bytes": [chunk]})

    return run


def in_time_order(events: DataFrame, time_field: str, parts: int) -> DataFrame:
    """Parts that follow each other in time. Lines of one time are in the order of their bytes, so a task that is run again has the same part."""
    path = "$" + "".join(f"['{name}']" for name in time_field.split("."))
    events.sparkSession.conf.set("spark.sql.session.timeZone", "UTC")
    text = f"get_json_object(value, {quoted(path)})"
    seconds = expr(f"coalesce(try_cast({text} as double), unix_micros(try_to_timestamp({text})) / 1e6)")
    ordered = events.withColumn("seconds", seconds)
    return ordered.repartitionByRange(parts, "seconds").sortWithinPartitions("seconds", "value").select("value")


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main() -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False, description="Replays recorded events on a Spark cluster.")
    parser.add_argument("--input", required=True, help="JSON lines, in any place and compression that Spark reads as text")
    parser.add_argument("--out", required=True, help="a new folder of the driver for the results")
    parser.add_argument("--parts", type=int, required=True, help="parts of the events; half a million events each are right")
    parser.add_argument("--time-field", required=True, help="the member with the time")
    parser.add_argument("--merge-options", default="", help="options of replay for the driver only, such as '--sample 100 --format parquet'")
    parser.add_argument("--command", default="detection-content", help="how the command is called on the driver and the executors")
    given, options = parser.parse_known_args()
    shared = ["--time-field", given.time_field, *options]
    command = [*shlex.split(given.command), "replay"]

    spark = SparkSession.builder.appName("replay").getOrCreate()
    events = in_time_order(spark.read.text(given.input), given.time_field, given.parts)
    found = events.mapInArrow(first_phase([*command, "--partial", "-", *shared]), RESULT).persist(StorageLevel.DISK_ONLY)
    found.count()  # All parts run at once; the iterator below would run one after another.
    with tempfile.TemporaryDirectory() as folder:
        for row in found.toLocalIterator():
            with open(os.path.join(folder, row["part"]), "ab") as part:
                part.write(row["bytes"])
        code = subprocess.run([*command, "--merge", folder, "--out", given.out, *shared, *shlex.split(given.merge_options)]).returncode
    spark.stop()
    raise SystemExit(code)


if __name__ == "__main__":
    main()
