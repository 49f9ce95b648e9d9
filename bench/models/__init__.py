"""The networks used for timing, as ONNX files with seeded weights.

`python -m bench.models --out DIR [name...]` writes them. Shapes and parameter
counts are those of the published networks and the graphs are laid out as
PyTorch's exporter writes them in evaluation mode; the weights are random, which
does not matter for time and keeps the repository small.
"""

from bench.models import bert, densenet, efficientnet, mobilenet, resnet, vgg
from bench.models.network import Network

NETWORKS = {
    network.name: network
    for network in (
        Network("bert-base", bert.bert_base, 109_482_240, 11.17e9),
        Network("resnet18", resnet.resnet18, 11_689_512, 1.814e9),
        Network("resnet50", resnet.resnet50, 25_557_032, 4.089e9),
        Network("mobilenet-v2", mobilenet.mobilenet_v2, 3_504_872, 0.301e9),
        Network("efficientnet-b0", efficientnet.efficientnet_b0, 5_288_548,
                0.386e9),
        Network("densenet121", densenet.densenet121, 7_978_856, 2.834e9),
        Network("densenet161", densenet.densenet161, 28_681_000, 7.728e9),
        Network("vgg16", vgg.vgg16, 138_357_544, 15.470e9),
        Network("cifar10-resnet18", resnet.cifar10_resnet18, 11_173_962,
                0.556e9, side=32),
        Network("cifar10-vgg16", vgg.cifar10_vgg16, 14_724_042, 0.313e9,
                side=32),
        Network("cifar10-mobilenet-v2", mobilenet.cifar10_mobilenet_v2,
                2_236_682, 0.088e9, side=32),
    )
}
