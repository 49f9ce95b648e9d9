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
        description=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    options.add_argument("--task", choices=TASKS, default="sst2")
    options.add_argument("--data", default="../shared/data/glue")
    options.add_argument("--base", default=".cache/models/all-minilm-l6-v2",
                         help="the pretrained encoder, a Hugging Face folder")
    options.add_argument("--work", default=".cache/training/sst2-finetune",
                         help="where checkpoints, log and export go")
    options.add_argument("--threads", type=int, default=2)
    for field in fields(Settings):
        options.add_argument("--" + field.name.replace("_", "-"),
                             type=field.type, default=field.default)
    return options


def settings_of(args):
    return Settings(**{f.name: getattr(args, f.name) for f in fields(Settings)})


def prepare(args):
    """(task, train examples, dev examples)."""
    torch.set_num_threads(args.threads)
    task = TASKS[args.task]
    pieces = WordPieces(read_vocabulary(os.path.join(args.base, "vocab.txt")))
    return (task, read_examples(task, args.data, "train", pieces),
            read_examples(task, args.data, "dev", pieces))
