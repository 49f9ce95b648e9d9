"""Ranks heads and neurons and moves the important ones to the front.

The scores are DynaBERT's: how fast the loss changes when a head is switched
off, and the first-order change of the loss when a neuron's weights are removed.
"""

import torch

from training.batches import collate, plain_batches
from training.encoder import (ATTENTION, DOWN, PROJECTION, UP, forward,
                              layer_name)
from training.losses import label_loss


def neuron_scores(weights, layer):
    up, down = layer_name(layer, UP), layer_name(layer, DOWN)
    first = weights[up + ".weight"]
    bias = weights[up + ".bias"]
    second = weights[down + ".weight"]
    return ((first * first.grad).sum(1) + bias * bias.grad).abs() + \
        (second * second.grad).sum(0).abs()


def score_parts(task, shape, weights, examples, tokens=1024):
    """(heads [layers, heads], neurons [layers, neurons]) over examples."""
    weights = {n: w.detach().clone().requires_grad_(
        any(p in n for p in (UP, DOWN))) for n, w in weights.items()}
    heads = torch.zeros(shape.layers, shape.heads)
    neurons = torch.zeros(shape.layers, shape.neurons)
    for rows in plain_batches(examples, tokens):
        batch = collate(examples, rows)
        gate = torch.ones(shape.layers, shape.heads, requires_grad=True)
        logits, _ = forward(shape, weights, batch, head_gate=gate)
        label_loss(task, logits, batch.targets, 0).backward()
        heads += gate.grad.abs()
        with torch.no_grad():
            for layer in range(shape.layers):
                neurons[layer] += neuron_scores(weights, layer)
            for weight in weights.values():
                weight.grad = None
    return heads, neurons


def move_to_front(shape, weights, heads, neurons):
    """The same network with heads and neurons in falling order of score."""
    moved = {n: w.detach().clone() for n, w in weights.items()}
    for layer in range(shape.layers):
        order = heads[layer].argsort(descending=True)
        rows = (order[:, None] * shape.head
                + torch.arange(shape.head)).flatten()
        for part in ATTENTION:
            for kind in (".weight", ".bias"):
                name = layer_name(layer, part) + kind
                moved[name] = moved[name][rows].contiguous()
        name = layer_name(layer, PROJECTION) + ".weight"
        moved[name] = moved[name][:, rows].contiguous()
        order = neurons[layer].argsort(descending=True)
        for kind in (".weight", ".bias"):
            name = layer_name(layer, UP) + kind
            moved[name] = moved[name][order].contiguous()
        name = layer_name(layer, DOWN) + ".weight"
        moved[name] = moved[name][:, order].contiguous()
    return moved
