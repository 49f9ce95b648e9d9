"""ResNet-18 and ResNet-50 (He et al., 2015), strides in the 3x3 layers."""

# A small gain at the end of a branch keeps the sum of many branches near 1.
BRANCH_GAIN = 0.4


def basic_block(b, x, in_channels, width, stride):
    y = b.relu(b.conv_norm(x, in_channels, width, 3, stride=stride))
    y = b.conv_norm(y, width, width, 3, gain=BRANCH_GAIN)
    if stride != 1 or in_channels != width:
        x = b.conv_norm(x, in_channels, width, 1, stride=stride, gain=1.0)
    return b.relu(b.add(y, x)), width


def bottleneck(b, x, in_channels, width, stride):
    out_channels = 4 * width
    y = b.relu(b.conv_norm(x, in_channels, width, 1))
    y = b.relu(b.conv_norm(y, width, width, 3, stride=stride))
    y = b.conv_norm(y, width, out_channels, 1, gain=BRANCH_GAIN)
    if stride != 1 or in_channels != out_channels:
        x = b.conv_norm(x, in_channels, out_channels, 1, stride=stride,
                        gain=1.0)
    return b.relu(b.add(y, x)), out_channels


def stages(b, x, block, repeats, classes):
    channels = 64
    for stage, count in enumerate(repeats):
        for i in range(count):
            stride = 2 if stage > 0 and i == 0 else 1
            x, channels = block(b, x, channels, 64 << stage, stride)
    b.classifier(x, channels, classes)


def resnet(b, block, repeats):
    x = b.relu(b.conv_norm(b.picture(), 3, 64, 7, stride=2))
    stages(b, b.max_pool(x, 3, 2, pad=1), block, repeats, 1000)


def resnet18(b):
    resnet(b, basic_block, (2, 2, 2, 2))


def resnet50(b):
    resnet(b, bottleneck, (3, 4, 6, 3))


def cifar10_resnet18(b):
    """For pictures of 32x32: a 3x3 layer first, no pool behind it."""
    x = b.relu(b.conv_norm(b.picture(32), 3, 64, 3))
    stages(b, x, basic_block, (2, 2, 2, 2), 10)
