"""MobileNetV2 (Sandler et al., 2018), width 1.0."""

# Expansion, output channels, repeats, stride of the first.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def inverted_residual(b, x, in_channels, out_channels, stride, expansion):
    y, width = x, in_channels * expansion
    if expansion != 1:
        y = b.relu6(b.conv_norm(y, in_channels, width, 1))
    y = b.relu6(b.conv_norm(y, width, width, 3, stride=stride, groups=width))
    y = b.conv_norm(y, width, out_channels, 1)
    residual = stride == 1 and in_channels == out_channels
    return b.add(x, y) if residual else y


def network(b, x, stages, classes):
    channels = 32
    for expansion, out_channels, repeats, stride in stages:
        for i in range(repeats):
            x = inverted_residual(b, x, channels, out_channels,
                                  stride if i == 0 else 1, expansion)
            channels = out_channels
    x = b.relu6(b.conv_norm(x, channels, 1280, 1))
    b.classifier(x, 1280, classes)


def mobilenet_v2(b):
    x = b.relu6(b.conv_norm(b.picture(), 3, 32, 3, stride=2))
    network(b, x, STAGES, 1000)


def cifar10_mobilenet_v2(b):
    """For pictures of 32x32: the first two strides are 1."""
    x = b.relu6(b.conv_norm(b.picture(32), 3, 32, 3))
    stages = [stage[:3] + (1,) if stage[1] == 24 else stage
              for stage in STAGES]
    network(b, x, stages, 10)
