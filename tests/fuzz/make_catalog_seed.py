#!/usr/bin/env python3
"""Writes package/elastic.catalog: a catalog of shards as docs/formats/stint.md describes it, with the tensors and
sections that src/weights/store/package_fuzz.cc offers.

Usage: make_catalog_seed.py
"""
import pathlib
import struct

BITS = 8


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def matrix():
    block = struct.pack("<IId", 1, 1, 2.5) + struct.pack("<7f", *(0.1 / 4**i for i in range(7)))
    return (text("node") + struct.pack("<IBBqq", 2, 0, 0, 16, 8) + struct.pack("<2q", 0, 16)
            + struct.pack("<III", 5, 6, 7) + block)


def layer():
    units = b"".join(struct.pack("<IIQ", 1, 1, group) for group in range(BITS - 1))
    return struct.pack("<BII", 0, 1, 1) + matrix() + struct.pack("<7f", *[0.0] * 7) + units


def table():
    nodes = struct.pack("<I", 1) + text("gather")
    return nodes + struct.pack("<qqB", 4, 8, 5) + bytes(range(32)) + struct.pack("<df", 1.5, 0.002)


catalog = (struct.pack("<BBII", BITS, 0, 2, 4) + struct.pack("<I", 1) + layer() + struct.pack("<I", 1) + table())
(pathlib.Path(__file__).parent / "package/elastic.catalog").write_bytes(catalog)
