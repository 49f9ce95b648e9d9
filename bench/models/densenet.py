"""DenseNet-121 (Huang et al., 2016).

A batch norm in front of a convolution, after a concatenation, cannot be folded
and stays in the graph; the one between two convolutions is folded.
"""

GROWTH = 32
BOTTLENECK = 4 * GROWTH
BLOCKS = (6, 12, 24, 16)


def dense_layer(b, x, channels):
    y = b.relu(b.batch_norm(x, channels))
    y = b.relu(b.conv_norm(y, channels, BOTTLENECK, 1))
    return b.conv(y, BOTTLENECK, GROWTH, 3, bias=False)


def densenet121(b):
    x, channels = b.relu(b.conv_norm(b.picture(), 3, 64, 7, stride=2)), 64
    x = b.max_pool(x, 3, 2, pad=1)
    for block, layers in enumerate(BLOCKS):
        features = [x]
        for _ in range(layers):
            joined = features[0]
            if len(features) > 1:
                joined = b.node("Concat", *features, axis=1)
            features.append(dense_layer(b, joined, channels))
            channels += GROWTH
        x = b.relu(b.batch_norm(b.node("Concat", *features, axis=1), channels))
        if block + 1 < len(BLOCKS):
            x = b.conv(x, channels, channels // 2, 1, bias=False)
            x, channels = b.average_pool(x, 2, 2), channels // 2
    b.classifier(x, channels)
