"""BERT's uncased WordPiece tokenizer, from vocab.txt alone.

The ids equal those of the Hugging Face tokenizer (tests/test_word_pieces.py
compares with the golden ids of five dev sets).
"""

import unicodedata

CLS, SEP, PAD, UNKNOWN = "[CLS]", "[SEP]", "[PAD]", "[UNK]"
LONGEST_WORD = 100


def read_vocabulary(path):
    with open(path, encoding="utf-8") as lines:
        return {line.rstrip("\n"): i for i, line in enumerate(lines)}


def is_punctuation(char):
    code = ord(char)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or \
            123 <= code <= 126:
        return True
    return unicodedata.category(char).startswith("P")


def is_chinese(char):
    code = ord(char)
    return any(low <= code <= high for low, high in (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF),
        (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
        (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


def clean(text):
    """Drops control characters, makes every white space a blank."""
    kept = []
    for char in text:
        if char in "\t\n\r" or unicodedata.category(char) == "Zs":
            kept.append(" ")
        elif char not in "\0\ufffd" and \
                not unicodedata.category(char).startswith("C"):
            kept.append(f" {char} " if is_chinese(char) else char)
    return "".join(kept)


def words(text):
    """Lower-case words without accents; a punctuation mark is a word."""
    text = unicodedata.normalize("NFD", clean(text))
    text = "".join(c for c in text if unicodedata.category(c) != "Mn").lower()
    for word in text.split():
        start = 0
        for i, char in enumerate(word):
            if is_punctuation(char):
                if start < i:
                    yield word[start:i]
                yield char
                start = i + 1
        if start < len(word):
            yield word[start:]


class WordPieces:
    """Text to token ids."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.known = {}  # word to ids; words repeat a lot

    def word_ids(self, word):
        """The longest known pieces from the left, or the unknown token."""
        if word in self.known:
            return self.known[word]
        ids, start = [], 0
        while start < len(word) and len(word) <= LONGEST_WORD:
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.vocabulary:
                    break
            else:
                break
            ids.append(self.vocabulary[piece])
            start = end
        if start < len(word):
            ids = [self.vocabulary[UNKNOWN]]
        self.known[word] = ids
        return ids

    def text_ids(self, text):
        return [i for word in words(text) for i in self.word_ids(word)]

    def encode(self, first, second=None, most=None):
        """(ids, types) of one text or of a pair, at most `most` tokens long:
        the longer text of a pair loses its end first."""
        parts = [self.text_ids(first)]
        if second is not None:
            parts.append(self.text_ids(second))
        extra = 1 + len(parts)
        while most is not None and sum(map(len, parts)) + extra > most:
            max(parts, key=len).pop()
        cls, sep = self.vocabulary[CLS], self.vocabulary[SEP]
        ids, types = [cls], [0]
        for kind, part in enumerate(parts):
            ids += part + [sep]
            types += [kind] * (len(part) + 1)
        return ids, types
