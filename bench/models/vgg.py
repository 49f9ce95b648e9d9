"""VGG-16 (Simonyan and Zisserman, 2014), without batch norm for ImageNet."""

# Channels of the convolutions of each stage; a pool ends a stage.
STAGES = ((64, 64), (128, 128), (256,) * 3, (512,) * 3, (512,) * 3)


def vgg16(b):
    x, channels = b.picture(), 3
    for stage in STAGES:
        for out_channels in stage:
            x = b.relu(b.conv(x, channels, out_channels, 3))
            channels = out_channels
        x = b.max_pool(x, 2, 2)
    # An adaptive pool to 7x7 of 7x7 values; exporters leave it in.
    x = b.node("Flatten", b.average_pool(x, 1, 1), axis=1)
    x = b.relu(b.linear(x, channels * 7 * 7, 4096, gain=2.0))
    x = b.relu(b.linear(x, 4096, 4096, gain=2.0))
    b.output(b.linear(x, 4096, 1000), "logits", ["batch", 1000])


def cifar10_vgg16(b):
    """For pictures of 32x32: with batch norms and one linear layer."""
    x, channels = b.picture(32), 3
    for stage in STAGES:
        for out_channels in stage:
            x = b.relu(b.conv_norm(x, channels, out_channels, 3))
            channels = out_channels
        x = b.max_pool(x, 2, 2)
    b.classifier(x, channels, 10)
