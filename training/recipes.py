"""The settings of each task and stage that differ from loop.Settings.

RTE, MRPC, CoLA and STS-B have few examples and take more epochs, of stage 1 as
many as an hour on one busy core allows; stage 2 has not run on them yet.
"""

SMALL = {"tokens": 1024, "rate": 1e-4, "evaluations": 1}

FINETUNE = {
    "sst2": {"epochs": 2, "tokens": 768, "rate": 1e-4},
    "rte": {**SMALL, "epochs": 4},
    "mrpc": {**SMALL, "epochs": 4},
    "cola": {**SMALL, "epochs": 6},
    "stsb": {**SMALL, "epochs": 4},
}

ADAPT = {
    "sst2": {"epochs": 0.4, "tokens": 768, "rate": 1e-4, "smoothing": 0.0,
             "dropout": 0.05, "average": 0.99, "evaluations": 1},
    "rte": {**SMALL, "epochs": 10, "smoothing": 0.0},
    "mrpc": {**SMALL, "epochs": 8, "smoothing": 0.0},
    "cola": {**SMALL, "epochs": 8, "smoothing": 0.0},
    "stsb": {**SMALL, "epochs": 8, "smoothing": 0.0},
}
