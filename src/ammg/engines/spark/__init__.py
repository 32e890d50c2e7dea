"""The same units on Apache Spark: summaries by chunk, RECORD methods batch by batch, and no unrequested collect."""

from ammg.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
