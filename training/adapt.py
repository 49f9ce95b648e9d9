"""Stage 2: makes a fine-tuned encoder elastic in width, depth and bits.

python3 -m training.adapt --task sst2 --teacher .cache/training/sst2-finetune/export
    --work .cache/training/sst2-adapt --output .cache/training/sst2-minilm
Heads and neurons are ranked and moved to the front; then every step trains the
full network and a random smaller one on the teacher's answers, with random
bits per shard. Started again after a kill, it continues from its checkpoint.
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
from training.options import parser, prepare, settings_of
from training.quantized import coded_network, fit_network
from training.report import all_scores, quick_scores
from training.sampling import draw, elastic_of, sub_networks
from training.teacher import teacher_states

RANKED = 3000  # training examples that rank heads and neurons


def options():
    o = parser(__doc__)
    o.set_defaults(work=".cache/training/sst2-adapt", smoothing=0.0)
    o.add_argument("--teacher", default=".cache/training/sst2-finetune/export")
    o.add_argument("--output", default=".cache/training/sst2-minilm")
    o.add_argument("--fit-every", type=int, default=100,
                   help="steps between two fits of scales and dictionaries")
    o.add_argument("--label-share", type=float, default=0.2,
                   help="of the loss; the rest follows the teacher")
    o.add_argument("--state-share", type=float, default=1.0,
                   help="weight of the distance to the teacher's pooled state")
    return o


def ranked_weights(args, task, shape, train, seed):
    """The teacher with its heads and neurons in order, kept in a file."""
    path = os.path.join(args.work, "ranked.safetensors")
    if not os.path.exists(path):
        os.makedirs(args.work, exist_ok=True)
        weights = load_pretrained(args.teacher, len(task.names), 0)
        chosen = np.random.default_rng([seed, 7]).permutation(len(train))
        heads, neurons = score_parts(task, shape, weights,
                                     [train[i] for i in chosen[:RANKED]])
        safetensors.save(path, move_to_front(shape, weights, heads, neurons))
    return safetensors.load(path)


class ElasticLoss:
    """The loss of a step: the full network and a smaller one."""

    def __init__(self, args, task, shape, weights, teacher):
        self.args, self.task, self.shape = args, task, shape
        self.weights, self.teacher = weights, teacher
        self.elastic = elastic_of(shape)
        self.codes = None

    def __call__(self, batch, step):
        if self.codes is None or step % self.args.fit_every == 0:
            self.codes = fit_network(self.shape, self.weights)
        random = np.random.default_rng([self.args.seed, 2, step])
        dropout = Dropout(self.args.dropout, [self.args.seed, 3, step])
        return sum(self.one(batch, sub, bits, dropout) for sub, bits
                   in draw(self.shape, self.elastic, random)) / 2

    def one(self, batch, sub, bits, dropout):
        coded = coded_network(self.shape, self.weights, self.codes, bits, sub)
        logits, pooled = forward(self.shape, coded, batch, sub, dropout)
        teacher_logits, teacher_pooled = self.teacher
        share = self.args.label_share
        distance = F.mse_loss(pooled, teacher_pooled[batch.rows].float())
        return (share * label_loss(self.task, logits, batch.targets,
                                   self.args.smoothing)
                + (1 - share) * teacher_loss(self.task, logits,
                                             teacher_logits[batch.rows])
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
    settings, shape = settings_of(args), Shape.read(args.base)
    weights = ranked_weights(args, task, shape, train, settings.seed)
    teacher = teacher_states(shape, weights, train,
                             os.path.join(args.work, "teacher.pt"))
    loop = Loop(shape, weights, train, settings, args.work)
    elastic = elastic_of(shape)
    averaged = loop.run(
        ElasticLoss(args, task, shape, weights, teacher),
        lambda w: quick_scores(task, shape, w, dev))
    export(args.output, args.base, task, averaged,
           elastic_config(shape, elastic))
    results = {"task": args.task, "steps": loop.step,
               "seconds": round(loop.seconds),
               **all_scores(task, shape, averaged, dev, elastic)}
    with open(os.path.join(args.output, "results.json"), "w") as file:
        json.dump(results, file, indent=2)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
