"""A tiny encoder, vocabulary and data set for tests."""

import gzip
import json
import os

import numpy as np
import torch

from training import safetensors
from training.batches import collate
from training.encoder import (ATTENTION, DOWN, PROJECTION, UP, Shape,
                              layer_name)
from training.glue import Example

SHAPE = Shape(hidden=24, layers=2, heads=12, neurons=48)
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "##s",
         "very", "not", "a", "."]


def encoder_weights(seed=1, shape=SHAPE):
    """Random weights with the names of a BertModel."""
    random = torch.Generator().manual_seed(seed)

    def matrix(rows, columns):
        return 0.3 * torch.randn(rows, columns, generator=random)

    h = shape.hidden
    weights = {"embeddings.word_embeddings.weight": matrix(len(WORDS), h),
               "embeddings.position_embeddings.weight": matrix(64, h),
               "embeddings.token_type_embeddings.weight": matrix(2, h)}
    norms, linears = ["embeddings.LayerNorm"], [("pooler.dense", h, h)]
    for i in range(shape.layers):
        base = f"encoder.layer.{i}."
        linears += [(base + part, h, h) for part in (*ATTENTION, PROJECTION)]
        linears += [(base + UP, shape.neurons, h), (base + DOWN, h,
                                                    shape.neurons)]
        norms += [base + "attention.output.LayerNorm",
                  base + "output.LayerNorm"]
    for name, rows, columns in linears:
        weights[name + ".weight"] = matrix(rows, columns)
        weights[name + ".bias"] = matrix(1, rows)[0]
    for name in norms:
        weights[name + ".weight"] = 1 + matrix(1, h)[0]
        weights[name + ".bias"] = matrix(1, h)[0]
    return weights


def classifier_weights(seed=1):
    weights = {"bert." + n: w for n, w in encoder_weights(seed).items()}
    random = torch.Generator().manual_seed(seed)
    weights["classifier.weight"] = torch.randn(2, SHAPE.hidden,
                                               generator=random)
    weights["classifier.bias"] = torch.zeros(2)
    return weights


def examples(count, seed=1):
    """Texts with "good" are 1, with "bad" 0."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        label = int(random.integers(2))
        ids = [int(i) for i in random.integers(6, len(WORDS),
                                               random.integers(1, 9))]
        ids.insert(int(random.integers(len(ids) + 1)), 5 - label)
        made.append(Example((2, *ids, 3), (0,) * (len(ids) + 2),
                            float(label)))
    return made


def batch(count=5, seed=1):
    return collate(examples(count, seed), list(range(count)))


def write_base(folder):
    """A Hugging Face folder of the encoder."""
    os.makedirs(folder)
    safetensors.save(os.path.join(folder, "model.safetensors"),
                     encoder_weights())
    config = {"model_type": "bert", "architectures": ["BertModel"],
              "hidden_size": SHAPE.hidden, "hidden_act": "gelu",
              "num_hidden_layers": SHAPE.layers,
              "num_attention_heads": SHAPE.heads,
              "intermediate_size": SHAPE.neurons, "layer_norm_eps": 1e-12,
              "max_position_embeddings": 64, "type_vocab_size": 2,
              "vocab_size": len(WORDS), "pad_token_id": 0}
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    with open(os.path.join(folder, "vocab.txt"), "w") as file:
        file.write("".join(word + "\n" for word in WORDS))
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as file:
        json.dump({"do_lower_case": True}, file)


def write_sst2(folder, split, rows):
    os.makedirs(os.path.join(folder, "SST-2"), exist_ok=True)
    path = os.path.join(folder, "SST-2", split + ".tsv.gz")
    with gzip.open(path, "wt") as file:
        file.write("sentence\tlabel\n")
        for example in rows:
            text = " ".join(WORDS[i] for i in example.ids[1:-1])
            text = text.replace(" ##", "").replace("##", "")
            file.write(f"{text}\t{int(example.target)}\n")
    return path


def parts_of_layer(index):
    return [layer_name(index, part)
            for part in (*ATTENTION, PROJECTION, UP, DOWN)]
