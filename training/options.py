"""Options that the stages share, and what they read from them."""

import argparse
import os
from dataclasses import fields

import torch

from training.glue import TASKS, read_examples
from training.loop import Settings
from training.word_pieces import WordPieces, read_vocabulary


def parser(text):
    options = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("task", choices=TASKS)
    options.add_argument("--data", default="../shared/data/glue",
                         help="folder of SST-2, RTE, ... [%(default)s]")
    options.add_argument("--base", default=".cache/models/all-minilm-l6-v2",
                         help="pretrained Hugging Face folder [%(default)s]")
    options.add_argument("--root", default=".cache/training",
                         help="where checkpoints and exports go [%(default)s]")
    options.add_argument("--threads", type=int, default=2)
    for field in fields(Settings):
        options.add_argument("--" + field.name.replace("_", "-"),
                             type=field.type, help="[recipes.py, loop.py]")
    return options


def settings_of(args, recipes):
    """The defaults, then the task's recipe, then what the user says."""
    given = {f.name: getattr(args, f.name) for f in fields(Settings)}
    given = {n: v for n, v in given.items() if v is not None}
    return Settings(**{**recipes[args.task], **given})


def prepare(args):
    """(task, train examples, dev examples)."""
    torch.set_num_threads(args.threads)
    task = TASKS[args.task]
    pieces = WordPieces(read_vocabulary(os.path.join(args.base, "vocab.txt")))
    return (task, read_examples(task, args.data, "train", pieces),
            read_examples(task, args.data, "dev", pieces))


def stage_folder(args, stage):
    return os.path.join(args.root, f"{args.task}-{stage}")
