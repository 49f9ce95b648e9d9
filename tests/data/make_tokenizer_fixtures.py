#!/usr/bin/env python3
"""Makes the tokenizer fixtures beside this script with Hugging Face tokenizers.

For each of wordpiece, wordpiece_cased, bpe and bpe_prefix: NAME.tokenizer.json,
a tiny trained tokenizer, and NAME.expected.json, a list of
{"text", "pair" or null, "max_length", "pad_to", "ids", and with a pair or padding "type_ids" and "mask"}.
Needs the Python package tokenizers (made with 0.23).
"""

import json
import os

from tokenizers import (AddedToken, Tokenizer, models, normalizers,
                        pre_tokenizers, processors, trainers)

HERE = os.path.dirname(os.path.abspath(__file__))

CORPUS = [
    "The quick brown fox jumps over the lazy dog.",
    "It's a charming and often affecting journey; we'll see, they've said.",
    "unflinchingly bleak and desperate, un-flinching tokens tokenizing",
    "In 2024, prices rose 3.14% to $1,234.56 -- or so it's said!",
    "Ünïcödé çafé naïve résumé Ångström İstanbul ΑΣΣ ὈΔΥΣΣΕΎΣ",
    "日本語のテキスト 中文字符 한국어 텍스트 русский текст עברית العربية हिन्दी",
    "def f(x):\n\treturn  x ** 2   # comment\n\n",
]

NASTY = [
    "",
    " ",
    "   ",
    "a",
    "\t\n\r",
    "the quick brown fox",
    "  the  quick   brown fox ",
    "THE QUICK BROWN FOX'S DOG DOESN'T",
    "it's we'll they've I'm he'd you're can't 'sit 's ''s ' s I'LL",
    "café cafe\u0301 CAFÉ e\u0301\u0316 \u0301 a\u0344b",
    "İstanbul ıI ΑΣΣ ς ß ẞ ŉ ǅ K Å",
    "日本語 中文字符mixed中文 \uf900\ufa0e\U00020000\U0002f800",
    "한국어 텍스트 \u1112\u1161\u11ab",
    "emoji 😀👍🏽 👨‍👩‍👧 🇩🇪 ❤️ ☃",
    "nbsp\u00a0nbsp\u2003em\u3000ideo\u1680ogham\u2028line\u2029par\u0085nel",
    "zero\u200bwidth\u200cnon\u200djoiner\ufeffbom\u00adsoft\u2060wj",
    "ctrl\x00\x01\x07\x0b\x0c\x1b\x1c\x1f\x7f\x80\x9fend \x0b x",
    "\ufffd repl\ufffdacement \ue000private\U000f0000 \ufdd0\uffff\U0010ffff",
    "punct!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ «quoted» “x” ‘y’ … – — ¿¡ § ¶ ·",
    "\u037e \u0387 \u1fef \u212a \u2126 \u2000\u2001",
    "math ≠ ∑ √2 × ÷ ± ² ³ ¼ Ⅷ ① ٣ ४ 𝟘",
    "हिन्दी क़ ড় தமிழ் ไทย ກ \u0f73 \u0f76",
    "שָׁלוֹם عَرَبِيّ \u0640 \u061c \u200f",
    "\u302e\u1d16\U0001d165\U0001d16e\u302f \u302f\x01\u302e x\u302f\u302e",
    "young \u08e2 \u0890 \u1ac0 \u2e52 \u061d \u166d \u1734 \U000111c9"
    " \U00011938 \U0001e944 \U00010d24 \U000105c0 \U0002ebf0 \U00011bf0",
    "word" * 24 + "abcd",
    "word" * 25,
    "word" * 25 + "x",
    "x" * 300,
    "é" * 100 + " " + "é" * 101,
    "a" * 70 + "b" * 70,
    "3.14 1,234 2024 x2y 2x",
    "tabs\tand\nnewlines\r\n  trailing  ",
    "[CLS] raw [SEP] [sep] [MASK]. [MASK]x x[MASK] [UNK] [PAD][PAD]",
    "<s> raw </s> <mask>. a <mask> b  <mask>  c <unk> <pad> <S>",
    "NewTok newtok NEWTOK xNewTok NewTokx NewTok, word. Wordy Wörd wörd",
    "a<lone>b <lone> <lone>x ²<lone> \u24b6<lone>",
    "left right  strip   both \u3000both both",
]
PAIRS = [
    ("the quick brown fox", "jumps over the lazy dog"),
    ("", ""),
    ("", "dog"),
    ("fox", ""),
    ("a b c d e f g h", "x y"),
    ("x y", "a b c d e f g h"),
    ("a b c d e f g h", "a b c d e f g"),
    ("[MASK] <mask>", "</s> [SEP]"),
]
ADDED = [
    AddedToken("NewTok", normalized=True),
    AddedToken("Wörd", normalized=True),
    AddedToken("<lone>", single_word=True, normalized=False),
    AddedToken("both", lstrip=True, rstrip=True, normalized=False),
]


def wordpiece(lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        CORPUS + NASTY[:24] + NASTY[30:],
        trainers.WordPieceTrainer(vocab_size=600, special_tokens=special,
                                  limit_alphabet=500, show_progress=False))
    ids = {t: tokenizer.token_to_id(t) for t in special}
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(t, ids[t]) for t in ("[CLS]", "[SEP]")])
    return tokenizer


def bpe(prefix):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=prefix)
    tokenizer.train_from_iterator(
        CORPUS + NASTY[3:12],
        trainers.BpeTrainer(
            vocab_size=500, show_progress=False,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens(
        [AddedToken("<mask>", lstrip=True, normalized=False)])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=prefix)
    return tokenizer


def cases(tokenizer, with_pairs):
    rows = [(text, None, 0, 0) for text in NASTY + CORPUS]
    if with_pairs:
        rows += [(a, b, n, 0) for a, b in PAIRS for n in (0, 5, 6, 8, 9, 12)]
        rows += [(CORPUS[0], None, n, p) for n in (2, 7) for p in (0, 5, 12)]
    for text, pair, max_length, pad_to in rows:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if max_length:
            tokenizer.enable_truncation(max_length)
        if pad_to:
            pad = "<pad>" if tokenizer.token_to_id("<pad>") else "[PAD]"
            tokenizer.enable_padding(length=pad_to, pad_token=pad,
                                     pad_id=tokenizer.token_to_id(pad))
        e = tokenizer.encode(text, pair)
        row = {"text": text, "pair": pair, "max_length": max_length,
               "pad_to": pad_to, "ids": e.ids}
        if pair is not None or pad_to:
            row |= {"type_ids": e.type_ids, "mask": e.attention_mask}
        yield row
    tokenizer.no_truncation()
    tokenizer.no_padding()


def main():
    for name, tokenizer, with_pairs in (
            ("wordpiece", wordpiece(True), True),
            ("wordpiece_cased", wordpiece(False), False),
            ("bpe", bpe(False), True), ("bpe_prefix", bpe(True), False)):
        tokenizer.add_tokens(ADDED)
        expected = list(cases(tokenizer, with_pairs))
        base = os.path.join(HERE, name)
        with open(base + ".tokenizer.json", "w", encoding="utf-8") as f:
            f.write(tokenizer.to_str(pretty=False) + "\n")
        with open(base + ".expected.json", "w", encoding="utf-8") as f:
            rows = [json.dumps(row, separators=(",", ":")) for row in expected]
            f.write("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
