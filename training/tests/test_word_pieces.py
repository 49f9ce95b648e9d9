import os
import unittest

from training.glue import TASKS, rows
from training.word_pieces import WordPieces, read_vocabulary

DATA = os.environ.get("STINT_TEST_DATA", "../shared/data")
VOCABULARY = os.path.join(DATA, "bert-base-uncased-vocab")
GOLDEN = {"sst2": "sst2_dev.ids", "cola": "cola_dev.ids",
          "rte": "rte_dev.pair_ids", "mrpc": "mrpc_dev.pair_ids"}


class WordPiecesTest(unittest.TestCase):
    def setUp(self):
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##like", "##ly",
                 "cafe", "!", "a", "b"]
        self.pieces = WordPieces({w: i for i, w in enumerate(words)})

    def test_takes_the_longest_pieces(self):
        self.assertEqual(self.pieces.text_ids("unlike!"), [4, 5, 8])
        # "unlik" has no known end: the whole word is unknown.
        self.assertEqual(self.pieces.text_ids("unlik a"), [1, 9])

    def test_folds_case_and_accents(self):
        self.assertEqual(self.pieces.text_ids("Caf\u00e9\u200b!A"), [7, 8, 9])

    def test_cuts_the_longer_text_of_a_pair(self):
        ids, types = self.pieces.encode("a a a a", "b b", most=7)
        self.assertEqual(ids, [2, 9, 9, 3, 10, 10, 3])
        self.assertEqual(types, [0, 0, 0, 0, 1, 1, 1])

    @unittest.skipUnless(os.path.exists(VOCABULARY), "no GLUE data")
    def test_golden_ids(self):
        vocabulary = read_vocabulary(os.path.join(VOCABULARY, "vocab.txt"))
        pieces = WordPieces(vocabulary)
        for name, file in GOLDEN.items():
            task = TASKS[name]
            path = os.path.join(VOCABULARY, "golden-ids", file + ".tsv.gz")
            golden = [list(map(int, fields[1].split()))
                      for fields in rows(path, False)]
            dev = os.path.join(DATA, "glue", task.folder, "dev.tsv.gz")
            found = [pieces.encode(
                fields[task.text],
                fields[task.pair] if task.pair >= 0 else None)[0]
                for fields in rows(dev, task.header)]
            self.assertEqual(found, golden, name)


if __name__ == "__main__":
    unittest.main()
