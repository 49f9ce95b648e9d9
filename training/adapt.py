"""Stage 2: makes a fine-tuned encoder elastic in width, depth and bits.

  python3 -m training.adapt sst2
Heads and neurons are ranked and moved to the front; then every step trains the
full network and a random smaller one on the teacher's answers, with random
bits per shard. Started again after a kill, it continues from its checkpoint in
ROOT/TASK-adapt; the result is the folder ROOT/TASK-minilm.
"""

import json
import os

import numpy as np
import torch.nn.functional as F

from training import safetensors
from training.encoder import Dropout, Shape, forward, load_pretrained
from training.export import export
from training.importance import move_to_front, score_parts
from training.loop import Loop
from training.losses import label_loss, teacher_loss
from training.options import parser, prepare, settings_of, stage_folder
from training.quantized import coded_network, fit_network
from training.recipes import ADAPT
from training.report import all_scores, quick_scores
from training.sampling import DEPTHS, WIDTHS, Elastic, draw, sub_networks
from training.teacher import Teacher

RANKED = 1500  # training examples that rank heads and neurons


def numbers(text):
    return tuple(map(int, text.split(",")))


def options():
    o = parser(__doc__)
    o.add_argument("--teacher", help="[ROOT/TASK-finetune/export]")
    o.add_argument("--more-teachers", nargs="*", default=[], metavar="FOLDER",
                   help="whose answers are averaged with the teacher's")
    o.add_argument("--output", help="[ROOT/TASK-minilm]")
    o.add_argument("--widths", type=numbers, default=WIDTHS,
                   help="heads of the sub-networks, all of them first")
    o.add_argument("--depths", type=numbers, default=DEPTHS,
                   help="layers of the sub-networks, all of them first")
    o.add_argument("--fit-every", type=int, default=100,
                   help="steps between two fits of scales and dictionaries")
    o.add_argument("--label-share", type=float, default=0.2,
                   help="of the loss; the rest follows the teacher")
    o.add_argument("--state-share", type=float, default=1.0,
                   help="weight of the distance to the teacher's pooled state")
    o.add_argument("--report", action="store_true",
                   help="do not train: export and score the checkpoint")
    return o


def ranked_weights(args, folder, task, shape, train):
    """The teacher with its heads and neurons in order, kept in a file."""
    path = os.path.join(folder, "ranked.safetensors")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        teacher = args.teacher or os.path.join(
            stage_folder(args, "finetune"), "export")
        weights = load_pretrained(teacher, len(task.names), 0)
        chosen = np.random.default_rng(7).permutation(len(train))
        heads, neurons = score_parts(task, shape, weights,
                                     [train[i] for i in chosen[:RANKED]])
        safetensors.save(path, move_to_front(shape, weights, heads, neurons))
    return safetensors.load(path)


class ElasticLoss:
    """The loss of a step: the full network and a smaller one. Scales and
    dictionaries are fitted to the weights now and then, and after a resume."""

    def __init__(self, args, settings, task, shape, weights, teacher):
        self.args, self.settings = args, settings
        self.task, self.shape = task, shape
        self.weights, self.teacher = weights, teacher
        self.elastic = Elastic(args.widths, args.depths)
        self.codes = None

    def __call__(self, batch, step):
        if self.codes is None or step % self.args.fit_every == 0:
            self.codes = fit_network(self.shape, self.weights)
        seed = self.settings.seed
        random = np.random.default_rng([seed, 2, step])
        dropout = Dropout(self.settings.dropout, [seed, 3, step])
        drawn = draw(self.shape, self.elastic, random)
        wanted = self.teacher(batch)
        return sum(self.one(batch, sub, bits, dropout, wanted)
                   for sub, bits in drawn) / len(drawn)

    def one(self, batch, sub, bits, dropout, wanted):
        coded = coded_network(self.shape, self.weights, self.codes, bits, sub)
        logits, pooled = forward(self.shape, coded, batch, sub, dropout)
        wanted_logits, wanted_pooled = wanted
        share = self.args.label_share
        distance = F.mse_loss(pooled, wanted_pooled)
        return (share * label_loss(self.task, logits, batch.targets,
                                   self.settings.smoothing)
                + (1 - share) * teacher_loss(self.task, logits, wanted_logits)
                + self.args.state_share * distance)


def elastic_config(shape, elastic):
    """What config.json says of the sub-networks. A depth keeps these layers."""
    layers = {str(len(s.layers)): list(s.layers)
              for s in sub_networks(shape, elastic)}
    return {"elastic": {"widths": list(elastic.widths),
                        "depths": list(elastic.depths), "layers": layers,
                        "slices": shape.heads}}


def main():
    args = options().parse_args()
    task, train, dev = prepare(args)
    settings, shape = settings_of(args, ADAPT), Shape.read(args.base)
    folder = stage_folder(args, "adapt")
    weights = ranked_weights(args, folder, task, shape, train)
    more = [load_pretrained(folder, len(task.names), 0)
            for folder in args.more_teachers]
    teacher = Teacher(shape, [weights, *more], len(train))
    loop = Loop(shape, weights, train, settings, folder)
    loss = ElasticLoss(args, settings, task, shape, weights, teacher)
    averaged = loop.average.weights if args.report else loop.run(
        loss, lambda w: quick_scores(task, shape, w, dev))
    output = args.output or stage_folder(args, "minilm")
    export(output, args.base, task, averaged,
           elastic_config(shape, loss.elastic))
    results = {"task": args.task, "steps": loop.step,
               "seconds": round(loop.seconds),
               **all_scores(task, shape, averaged, dev, loss.elastic)}
    with open(os.path.join(output, "results.json"), "w") as file:
        json.dump(results, file, indent=2)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
