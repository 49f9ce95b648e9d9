"""Writes a Hugging Face folder that `stint` opens."""

import json
import os
import shutil

from training import safetensors

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "vocab.txt",
                   "special_tokens_map.json")


def export(folder, base, task, weights, extra=None):
    """`base` is the folder of the pretrained encoder: its configuration and
    tokenizer are kept. `extra` goes into config.json."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(base, "config.json")) as file:
        config = json.load(file)
    config.pop("_name_or_path", None)
    config["architectures"] = ["BertForSequenceClassification"]
    config["num_labels"] = len(task.names)
    config["id2label"] = {str(i): n for i, n in enumerate(task.names)}
    config["label2id"] = {n: i for i, n in enumerate(task.names)}
    config["problem_type"] = ("single_label_classification" if task.labels
                              else "regression")
    config.update(extra or {})
    for name in TOKENIZER_FILES:
        if os.path.exists(os.path.join(base, name)):
            shutil.copy(os.path.join(base, name), folder)
    safetensors.save(os.path.join(folder, "model.safetensors"), weights)
    path = os.path.join(folder, "config.json")
    with open(path + ".part", "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    os.replace(path + ".part", path)
