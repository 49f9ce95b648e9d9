"""GLUE tasks: where the columns are, how a task is scored, token ids."""

import gzip
import os
from dataclasses import dataclass

from training.metrics import accuracy, matthews, spearman


@dataclass(frozen=True)
class Task:
    """Columns are counted from 0; `labels` empty means a score (regression)."""
    folder: str
    text: int
    pair: int  # -1: single sentences
    label: int
    header: bool
    labels: tuple
    names: tuple  # what config.json says of the labels
    metric: callable  # (predictions, targets) -> a fraction of 1
    length: int  # tokens, longer texts are cut


TASKS = {
    "sst2": Task("SST-2", 0, -1, 1, True, ("0", "1"), ("negative", "positive"),
                 accuracy, 64),
    "rte": Task("RTE", 1, 2, 3, True, ("entailment", "not_entailment"),
                ("entailment", "not_entailment"), accuracy, 128),
    "mrpc": Task("MRPC", 3, 4, 0, True, ("0", "1"),
                 ("not_equivalent", "equivalent"), accuracy, 128),
    "cola": Task("CoLA", 3, -1, 1, False, ("0", "1"),
                 ("unacceptable", "acceptable"), matthews, 64),
    "stsb": Task("STS-B", 7, 8, 9, True, (), ("score",), spearman, 128),
}


@dataclass(frozen=True)
class Example:
    ids: tuple
    types: tuple
    target: float  # class number or score


def rows(path, header):
    """Fields of each line: tab-separated, quotes are plain text."""
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="\n") as lines:
        if header:
            next(lines)
        for line in lines:
            yield line.rstrip("\r\n").split("\t")


def read_examples(task, data, split, word_pieces):
    """The rows of DATA/FOLDER/SPLIT.tsv.gz in the order of the file."""
    path = os.path.join(data, task.folder, split + ".tsv.gz")
    examples = []
    for fields in rows(path, task.header):
        pair = fields[task.pair] if task.pair >= 0 else None
        ids, types = word_pieces.encode(fields[task.text], pair, task.length)
        label = fields[task.label]
        target = task.labels.index(label) if task.labels else float(label)
        examples.append(Example(tuple(ids), tuple(types), float(target)))
    return examples
