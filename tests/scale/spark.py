"""Pipes a file of conversations through a command on Apache Spark.

spark.py MASTER COMMAND IN OUT: a line of IN is a conversation; the lines of
OUT come in the order of IN.  A command that fails fails the job.
"""
import sys

from pyspark import SparkConf, SparkContext

master, command, source, target = sys.argv[1:]
conf = SparkConf().setMaster(master).setAppName("ctx")
conf.set("spark.ui.enabled", "false")
conf.set("spark.task.maxFailures", "1")
context = SparkContext(conf=conf)
context.setLogLevel("OFF")
lines = context.textFile("file://" + source, minPartitions=8)
piped = lines.pipe(command, checkCode=True)
piped.saveAsTextFile("file://" + target)
context.stop()
