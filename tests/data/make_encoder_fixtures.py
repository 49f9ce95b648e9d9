#!/usr/bin/env python3
"""Writes tiny encoders of each Hugging Face family with seeded weights, and what they answer, worked out in NumPy.

The forward pass below follows the published architectures and shares nothing with stint. Needs numpy.
"""
import json
import math
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / "encoders"
HIDDEN, LAYERS, HEADS, INNER, VOCAB, POSITIONS = 8, 2, 2, 16, 20, 12
erf = np.vectorize(math.erf)


def linear(rng, out, inputs):
    return {"weight": rng.normal(0, 0.5, (out, inputs)), "bias": rng.normal(0, 0.2, out)}


def norm(rng):
    return {"weight": rng.normal(1, 0.1, HIDDEN), "bias": rng.normal(0, 0.1, HIDDEN)}


BERT = ("encoder.layer.{}.", "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
        "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")
DISTIL = ("transformer.layer.{}.", "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
          "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")


def make_weights(rng, names, types):
    w = {"embeddings.word_embeddings.weight": rng.normal(0, 1, (VOCAB, HIDDEN)),
         "embeddings.position_embeddings.weight": rng.normal(0, 1, (POSITIONS, HIDDEN))}
    if types:
        w["embeddings.token_type_embeddings.weight"] = rng.normal(0, 1, (types, HIDDEN))

    def put(name, parts):
        w.update({f"{name}.{key}": value for key, value in parts.items()})

    put("embeddings.LayerNorm", norm(rng))
    for i in range(LAYERS):
        base, q, k, v, o, n1, f1, f2, n2 = names
        base = base.format(i)
        for part in (q, k, v, o):
            put(base + part, linear(rng, HIDDEN, HIDDEN))
        put(base + n1, norm(rng))
        put(base + f1, linear(rng, INNER, HIDDEN))
        put(base + f2, linear(rng, HIDDEN, INNER))
        put(base + n2, norm(rng))
    return {key: value.astype(np.float32) for key, value in w.items()}


def layer_norm(x, w, name, eps):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * w[name + ".weight"] + w[name + ".bias"]


def dense(x, w, name):
    return x @ w[name + ".weight"].T.astype(np.float64) + w[name + ".bias"]


def encode(w, names, ids, mask, types, positions, eps):
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][positions]
    if types is not None:
        x = x + w["embeddings.token_type_embeddings.weight"][types]
    x = layer_norm(x.astype(np.float64), w, "embeddings.LayerNorm", eps)
    batch, length = ids.shape
    for i in range(LAYERS):
        base, q, k, v, o, n1, f1, f2, n2 = names
        base = base.format(i)
        heads = [dense(x, w, base + part).reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3) for part in (q, k, v)]
        scores = heads[0] @ heads[1].transpose(0, 1, 3, 2) / math.sqrt(HIDDEN // HEADS)
        scores = np.where(mask[:, None, None, :] == 1, scores, -1e30)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        context = (p @ heads[2]).transpose(0, 2, 1, 3).reshape(batch, length, HIDDEN)
        x = layer_norm(dense(context, w, base + o) + x, w, base + n1, eps)
        inner = dense(x, w, base + f1)
        inner = 0.5 * inner * (1 + erf(inner / math.sqrt(2)))
        x = layer_norm(dense(inner, w, base + f2) + x, w, base + n2, eps)
    return x


def save_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in sorted(tensors.items()):
        content = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write(name, config, tensors, inputs, output, vocab, extra=()):
    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    save_safetensors(folder / "model.safetensors", tensors)
    for file, content in vocab.items():
        (folder / file).write_text(content)
    for file, content in extra:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(json.dumps(content) + "\n")
    expected = {"inputs": {k: v.tolist() for k, v in inputs.items()}, "shape": list(output.shape),
                "output": [round(float(x), 7) for x in output.ravel()]}
    (folder / "expected.json").write_text(json.dumps(expected) + "\n")


def main():
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [chr(97 + i) for i in range(VOCAB - 5)]
    word_piece = {"vocab.txt": "\n".join(words) + "\n"}
    ids = np.array([[2, 5, 6, 7, 3], [2, 9, 3, 0, 0]])
    mask = (ids != 0).astype(int)
    types = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]])
    base = {"hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER,
            "vocab_size": VOCAB, "max_position_embeddings": POSITIONS, "hidden_act": "gelu", "layer_norm_eps": 1e-12}
    places = np.arange(5)

    w = make_weights(np.random.default_rng(1), BERT, 2)
    states = encode(w, BERT, ids, mask, types, places, 1e-12)
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    bert = {**base, "model_type": "bert", "type_vocab_size": 2}
    write("bert_plain", {**bert, "architectures": ["BertModel"]}, w, inputs, states, word_piece)

    pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
               {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
    write("bert_sentence", {**bert, "architectures": ["BertModel"]}, w, inputs, pooled, word_piece,
          [("modules.json", modules),
           ("1_Pooling/config.json", {"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": True})])

    rng = np.random.default_rng(2)
    head = {"pooler.dense": linear(rng, HIDDEN, HIDDEN), "classifier": linear(rng, 3, HIDDEN)}
    flat = {f"{name}.{key}": value.astype(np.float32) for name, parts in head.items() for key, value in parts.items()}
    logits = dense(np.tanh(dense(states[:, 0], flat, "pooler.dense")), flat, "classifier")
    prefixed = {f"bert.{key}": value for key, value in w.items()}
    prefixed |= {("bert." + key if key.startswith("pooler") else key): value for key, value in flat.items()}
    write("bert_classifier", {**bert, "architectures": ["BertForSequenceClassification"],
                              "id2label": {"0": "no", "1": "maybe", "2": "yes"}}, prefixed, inputs, logits, word_piece)

    w = make_weights(np.random.default_rng(3), DISTIL, 0)
    states = encode(w, DISTIL, ids, mask, None, places, 1e-12)
    rng = np.random.default_rng(4)
    head = {"pre_classifier": linear(rng, HIDDEN, HIDDEN), "classifier": linear(rng, 2, HIDDEN)}
    flat = {f"{name}.{key}": value.astype(np.float32) for name, parts in head.items() for key, value in parts.items()}
    logits = dense(np.maximum(dense(states[:, 0], flat, "pre_classifier"), 0), flat, "classifier")
    config = {"model_type": "distilbert", "architectures": ["DistilBertForSequenceClassification"], "dim": HIDDEN,
              "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": INNER, "vocab_size": VOCAB,
              "max_position_embeddings": POSITIONS, "activation": "gelu"}
    write("distilbert_classifier", config, {f"distilbert.{key}": value for key, value in w.items()} | flat,
          {"input_ids": ids, "attention_mask": mask}, logits, word_piece)

    # RoBERTa: padding is token 1, positions count tokens from 2 on.
    ids = np.array([[0, 5, 6, 7, 2], [0, 9, 2, 1, 1]])
    mask = (ids != 1).astype(int)
    positions = np.cumsum(mask, 1) * mask + 1
    w = make_weights(np.random.default_rng(5), BERT, 1)
    states = encode(w, BERT, ids, mask, np.zeros_like(ids), positions, 1e-5)
    rng = np.random.default_rng(6)
    head = {"classifier.dense": linear(rng, HIDDEN, HIDDEN), "classifier.out_proj": linear(rng, 2, HIDDEN)}
    flat = {f"{name}.{key}": value.astype(np.float32) for name, parts in head.items() for key, value in parts.items()}
    logits = dense(np.tanh(dense(states[:, 0], flat, "classifier.dense")), flat, "classifier.out_proj")
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"] + [chr(97 + i) for i in range(VOCAB - 5)]
    bpe = {"vocab.json": json.dumps({token: i for i, token in enumerate(tokens)}), "merges.txt": "#version: 0.2\n"}
    config = {**base, "model_type": "roberta", "architectures": ["RobertaForSequenceClassification"], "type_vocab_size": 1,
              "pad_token_id": 1, "layer_norm_eps": 1e-5}
    write("roberta_classifier", config, {f"roberta.{key}": value for key, value in w.items()} | flat,
          {"input_ids": ids, "attention_mask": mask}, logits, bpe)


main()
