"""EfficientNet-B0 (Tan and Le, 2019)."""

# Expansion, output channels, repeats, stride of the first, kernel.
STAGES = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)
# SiLU passes on about a third of the variance of its input.
SILU_GAIN = 2.8
# A squeeze-and-excite gate about halves values.
GATED_GAIN = 3 * SILU_GAIN


def squeeze_excite(b, x, width, squeezed):
    gate = b.node("GlobalAveragePool", x)
    gate = b.silu(b.conv(gate, width, squeezed, 1))
    gate = b.node("Sigmoid", b.conv(gate, squeezed, width, 1))
    return b.node("Mul", gate, x)


def mbconv(b, x, in_channels, out_channels, stride, expansion, kernel):
    y, width = x, in_channels * expansion
    if expansion != 1:
        y = b.silu(b.conv_norm(y, in_channels, width, 1, gain=1.0))
    y = b.silu(b.conv_norm(y, width, width, kernel, stride=stride, groups=width,
                           gain=SILU_GAIN))
    y = squeeze_excite(b, y, width, max(1, in_channels // 4))
    residual = stride == 1 and in_channels == out_channels
    y = b.conv_norm(y, width, out_channels, 1,
                    gain=GATED_GAIN / 8 if residual else GATED_GAIN)
    return b.add(y, x) if residual else y


def efficientnet_b0(b):
    x, channels = b.silu(b.conv_norm(b.picture(), 3, 32, 3, stride=2)), 32
    for expansion, out_channels, repeats, stride, kernel in STAGES:
        for i in range(repeats):
            x = mbconv(b, x, channels, out_channels, stride if i == 0 else 1,
                       expansion, kernel)
            channels = out_channels
    x = b.silu(b.conv_norm(x, channels, 1280, 1, gain=1.0))
    b.classifier(x, 1280)
