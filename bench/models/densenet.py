"""DenseNet-121 and DenseNet-161 (Huang et al., 2016).

A batch norm in front of a convolution, after a concatenation, cannot be folded
and stays in the graph; the one between two convolutions is folded.
"""


def dense_layer(b, x, channels, growth):
    y = b.relu(b.batch_norm(x, channels))
    y = b.relu(b.conv_norm(y, channels, 4 * growth, 1))
    return b.conv(y, 4 * growth, growth, 3, bias=False)


def densenet(b, growth, blocks):
    channels = 2 * growth
    x = b.relu(b.conv_norm(b.picture(), 3, channels, 7, stride=2))
    x = b.max_pool(x, 3, 2, pad=1)
    for block, layers in enumerate(blocks):
        features = [x]
        for _ in range(layers):
            joined = features[0]
            if len(features) > 1:
                joined = b.node("Concat", *features, axis=1)
            features.append(dense_layer(b, joined, channels, growth))
            channels += growth
        x = b.relu(b.batch_norm(b.node("Concat", *features, axis=1), channels))
        if block + 1 < len(blocks):
            x = b.conv(x, channels, channels // 2, 1, bias=False)
            x, channels = b.average_pool(x, 2, 2), channels // 2
    b.classifier(x, channels)


def densenet121(b):
    densenet(b, 32, (6, 12, 24, 16))


def densenet161(b):
    densenet(b, 48, (6, 12, 36, 24))
