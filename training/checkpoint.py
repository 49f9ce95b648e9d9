"""Checkpoints that survive a kill at any moment."""

import os

import torch


def save(path, state):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(state, path + ".part")
    with open(path + ".part", "rb") as file:
        os.fsync(file.fileno())
    os.replace(path + ".part", path)


def load(path):
    """The state, or None where there is no checkpoint."""
    return torch.load(path) if os.path.exists(path) else None
