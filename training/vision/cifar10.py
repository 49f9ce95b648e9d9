"""CIFAR-10 in memory, and its pictures as a network sees them."""

import lzma
import os

import numpy as np
import torch
import torch.nn.functional as F

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
SIDE = 32
RECORD = 1 + 3 * SIDE * SIDE
TRAIN = [f"data_batch_{i}.bin.xz" for i in range(1, 6)]
TEST = ["test_batch.bin.xz"]


def load(folder, names):
    """(pictures [n, 3, 32, 32] of bytes, labels [n])."""
    parts = []
    for name in names:
        with lzma.open(os.path.join(folder, name)) as file:
            parts.append(np.frombuffer(file.read(), np.uint8))
    records = np.concatenate(parts).reshape(-1, RECORD)
    pictures = records[:, 1:].reshape(-1, 3, SIDE, SIDE).copy()
    return torch.from_numpy(pictures), torch.from_numpy(
        records[:, 0].astype(np.int64))


def channels_last(pictures):
    """The same numbers, those of a pixel side by side in memory."""
    return pictures.contiguous(memory_format=torch.channels_last)


def as_they_are(pictures):
    """Floats of 0 to 255."""
    return channels_last(pictures.float())


def normalized(pictures):
    """Floats of about mean 0 and deviation 1."""
    return channels_last((pictures.float() / 255 - MEAN) / STD)


def augmented(pictures, random, padding=4):
    """Floats of 0 to 255: each picture shifted by up to `padding` pixels, half
    of them mirrored; `random` is a torch.Generator."""
    count = len(pictures)
    padded = F.pad(pictures.float(), [padding] * 4, mode="reflect")
    top, left = torch.randint(0, 2 * padding + 1, (2, count, 1),
                              generator=random)
    rows = top + torch.arange(SIDE)
    columns = left + torch.arange(SIDE)
    mirrored = torch.rand(count, generator=random) < 0.5
    columns[mirrored] = columns[mirrored].flip(1)
    which = torch.arange(count).view(-1, 1, 1)
    # Index arrays around a slice put the channels last.
    moved = padded[which, :, rows.unsqueeze(2), columns.unsqueeze(1)]
    return moved.permute(0, 3, 1, 2)


def reduced(pictures, size):
    if size == SIDE:
        return pictures
    return F.interpolate(pictures, size=(size, size), mode="bilinear",
                         antialias=True, align_corners=False)
