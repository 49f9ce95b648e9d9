"""Stage 1: fine-tunes the encoder on a task.

  python3 -m training.finetune sst2
Started again after a kill, it continues from its checkpoint in
ROOT/TASK-finetune; the folder `export` there is the result.
"""

import json
import os

from training.encoder import Dropout, Shape, forward, load_pretrained
from training.evaluate import dev_score
from training.export import export
from training.loop import Loop
from training.losses import label_loss
from training.options import parser, prepare, settings_of, stage_folder
from training.recipes import FINETUNE


def main():
    args = parser(__doc__).parse_args()
    task, train, dev = prepare(args)
    settings, shape = settings_of(args, FINETUNE), Shape.read(args.base)
    weights = load_pretrained(args.base, len(task.names), settings.seed)
    folder = stage_folder(args, "finetune")
    loop = Loop(shape, weights, train, settings, folder)

    def loss_of(batch, step):
        dropout = Dropout(settings.dropout, [settings.seed, 1, step])
        logits, _ = forward(shape, weights, batch, dropout=dropout)
        return label_loss(task, logits, batch.targets, settings.smoothing)

    def evaluate(averaged):
        return {"dev": dev_score(task, shape, averaged, dev),
                "dev_last": dev_score(task, shape, weights, dev)}

    averaged = loop.run(loss_of, evaluate)
    export(os.path.join(folder, "export"), args.base, task, averaged)
    results = {"task": args.task, "steps": loop.step,
               "seconds": round(loop.seconds), **evaluate(averaged)}
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump(results, file, indent=2)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
