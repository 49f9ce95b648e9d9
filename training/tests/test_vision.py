"""Training of ONNX networks for pictures."""

import importlib.util
import os
import tempfile
import unittest

import torch

HAS_ONNX = importlib.util.find_spec("onnx") is not None
if HAS_ONNX:
    import numpy as np
    import onnx
    from onnx import numpy_helper

    from bench.models.builder import Builder
    from training.vision import cifar10, first_weights, train
    from training.vision import weights as weight_files
    from training.vision.trainable import NormedConv, Trainable


def write_network(path, zeros=False):
    b = Builder("small", 1)
    x = b.relu(b.conv(b.picture(32), 3, 8, 3, stride=2))
    y = b.add(b.conv(x, 8, 8, 3), x)
    b.classifier(b.relu(y), 8, 10)
    model = b.model()
    if zeros:
        for tensor in model.graph.initializer:
            w = numpy_helper.to_array(tensor).copy()
            if w.ndim == 4:
                w[::2] = 0
                tensor.CopyFrom(numpy_helper.from_array(w, tensor.name))
    onnx.save(model, path)


def weights(path):
    return {t.name: numpy_helper.to_array(t)
            for t in onnx.load(path).graph.initializer}


def pictures(count, seed=1):
    random = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (count, 3, 32, 32), dtype=torch.uint8,
                         generator=random)


@unittest.skipUnless(HAS_ONNX, "the onnx package is not installed")
class Vision(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.net = os.path.join(folder.name, "net.onnx")
        self.out = os.path.join(folder.name, "out.onnx")

    def test_norms_and_folding_keep_the_function(self):
        write_network(self.net)
        images = cifar10.normalized(pictures(16))
        plain = Trainable(self.net)
        for layer in plain.layers:  # the file without any norm
            if isinstance(layer, NormedConv):
                layer.forward = (lambda x, w, b, layer=layer:
                                 layer.call(x, layer.weight, layer.bias))
        plain.eval()
        with torch.no_grad():
            expected = plain(images)
            network = Trainable(self.net)
            network.keep_function(images)
            torch.testing.assert_close(network(images), expected, rtol=1e-3,
                                       atol=1e-4)
        network.save(self.net, self.out)
        for name, value in weights(self.net).items():
            np.testing.assert_allclose(weights(self.out)[name], value,
                                       rtol=1e-3, atol=1e-4)

    def run_steps(self, *words):
        """Trains on random pictures; the network after the last step."""
        options = train.arguments([self.net, "-o", self.out, "--batch", "8",
                                   "--stages", "32:1", "--no-bf16", *words])
        images = pictures(64), torch.arange(64) % 10
        run = train.Run(options, images, images)
        run.run()
        return run

    def test_zeros_stay_zero(self):
        write_network(self.net, zeros=True)
        self.run_steps("--finetune", "--most-steps", "3")
        before, after = weights(self.net), weights(self.out)
        for name, value in before.items():
            if value.ndim == 4:
                self.assertTrue((after[name][value == 0] == 0).all())
                self.assertFalse(np.array_equal(after[name], value))

    def test_pixels_may_stay_as_they_are(self):
        write_network(self.net)
        run = self.run_steps("--bytes", "--finetune", "--most-steps", "1")
        brightest = []
        run.network.register_forward_pre_hook(
            lambda _, inputs: brightest.append(inputs[0].max()))
        run.learn()
        run.right()
        self.assertGreater(min(brightest), 200)
        with self.assertRaisesRegex(SystemExit, "other settings"):
            self.run_steps("--finetune", "--most-steps", "2")

    def test_padding_at_one_side_only(self):
        write_network(self.net)
        model = onnx.load(self.net)
        first = next(n for n in model.graph.node if n.op_type == "Conv")
        pads = next(a for a in first.attribute if a.name == "pads")
        pads.ints[:] = [0, 0, 1, 1]  # as TensorFlow pads for a stride of 2
        onnx.save(model, self.net)
        images = pictures(1).float()
        call, arguments, _ = Trainable(self.net).steps[0]
        weight = torch.tensor(weights(self.net)[arguments[1]])
        # One pixel further right and down than with a pixel on each side.
        with torch.no_grad():
            found = call.call(images, weight)
            whole = torch.conv2d(images, weight, None, 1, 1)
        torch.testing.assert_close(found, whole[:, :, 1::2, 1::2], rtol=1e-4, atol=1e-4)

    def test_a_run_that_was_stopped_goes_on(self):
        write_network(self.net)
        self.run_steps("--most-steps", "6")
        whole = weights(self.out)
        os.remove(self.out + ".checkpoint")
        self.run_steps("--most-steps", "4")
        run = self.run_steps("--most-steps", "6")
        self.assertEqual(run.step, 6)
        for name, value in weights(self.out).items():
            np.testing.assert_array_equal(value, whole[name])

    def test_other_settings_are_refused(self):
        write_network(self.net)
        self.run_steps("--most-steps", "1")
        with self.assertRaisesRegex(SystemExit, "other settings"):
            self.run_steps("--most-steps", "2", "--rate", "0.2")

    def test_pictures_move_by_whole_pixels(self):
        images = pictures(4)
        random = torch.Generator().manual_seed(3)
        moved = cifar10.augmented(images, random)
        self.assertEqual(tuple(moved.shape), (4, 3, 32, 32))
        plain = images.float()
        # The middle of a moved picture is somewhere in the picture.
        part = moved[0, :, 14:18, 14:18]
        views = [view for flipped in (plain[0], plain[0].flip(2))
                 for view in flipped.unfold(1, 4, 1).unfold(2, 4, 1)
                 .permute(1, 2, 0, 3, 4).reshape(-1, 3, 4, 4)]
        self.assertTrue(any(torch.equal(part, view) for view in views))
        small = cifar10.reduced(moved, 20)
        self.assertEqual(tuple(small.shape), (4, 3, 20, 20))

    def test_weights_come_back_from_a_file_of_half_the_size(self):
        write_network(self.net, zeros=True)
        path = self.out + ".safetensors"
        weight_files.main(["save", self.net, path])
        self.assertLess(os.path.getsize(path), 0.75 * os.path.getsize(self.net))
        other = self.out + ".other.onnx"
        write_network(other)
        weight_files.main(["restore", other, path, "-o", self.out])
        for name, value in weights(self.net).items():
            np.testing.assert_array_equal(
                weights(self.out)[name], value.astype(np.float16))

    def test_weights_of_another_network_are_refused(self):
        write_network(self.net)
        path = self.out + ".safetensors"
        weight_files.save(self.net, path)
        b = Builder("other", 1)
        b.classifier(b.relu(b.conv(b.picture(32), 3, 4, 3)), 4, 10)
        onnx.save(b.model(), self.out)
        with self.assertRaisesRegex(SystemExit, "weight_0"):
            weight_files.restore(self.out, path, self.out)

    def test_convolutions_in_codes_are_taken_over(self):
        write_network(self.net)
        coded = onnx.load(self.net)
        codes = {}
        for node in [n for n in coded.graph.node if n.op_type == "Conv"]:
            tensor = next(t for t in coded.graph.initializer
                          if t.name == node.input[1])
            values = np.arange(np.prod(tensor.dims), dtype=np.int64) % 7 - 3
            codes[tensor.name] = values.reshape(tensor.dims).astype(np.int8)
            tensor.CopyFrom(numpy_helper.from_array(codes[tensor.name],
                                                    tensor.name))
            scale, zero = tensor.name + "_scale", tensor.name + "_zero"
            coded.graph.initializer.extend([
                numpy_helper.from_array(np.float32(0.5), scale),
                numpy_helper.from_array(np.int8(1), zero)])
            node.input[1] += "_floats"
            coded.graph.node.append(onnx.helper.make_node(
                "DequantizeLinear", [tensor.name, scale, zero],
                [node.input[1]]))
        other = self.out + ".coded.onnx"
        onnx.save(coded, other)
        weight_files.main(["transfer", self.net, other, "-o", self.out])
        self.assertEqual(len(codes), 2)
        for name, value in codes.items():
            np.testing.assert_array_equal(weights(self.out)[name],
                                          (value - 1.0) * 0.5)
        linear = [value for value in weights(self.out).values()
                  if value.ndim == 2]
        self.assertEqual([value.any() for value in linear], [False])

    def test_networks_of_other_convolutions_are_not_taken_over(self):
        write_network(self.net)
        b = Builder("other", 1)
        b.classifier(b.relu(b.conv(b.picture(32), 3, 4, 3)), 4, 10)
        onnx.save(b.model(), self.out)
        with self.assertRaisesRegex(SystemExit, "1 convolutions"):
            weight_files.transfer(self.net, self.out, self.out)

    def test_whitening_filters_give_uncorrelated_outputs(self):
        noise = torch.randn(64, 3, 8, 8,
                            generator=torch.Generator().manual_seed(1))
        images = noise + 2 * noise.roll(1, 3)  # neighbors are alike
        filters = first_weights.whitening_filters(images, 3)
        outputs = torch.nn.functional.conv2d(images, filters)
        correlation = torch.corrcoef(outputs.transpose(0, 1).flatten(1))
        torch.testing.assert_close(correlation, torch.eye(27), atol=0.05,
                                   rtol=0)

    def test_convolutions_can_begin_by_passing_on(self):
        weight = torch.randn(6, 4, 3, 3)
        images = torch.randn(1, 4, 8, 8)
        first_weights.pass_on(weight)
        outputs = torch.nn.functional.conv2d(images, weight, padding=1)
        factor = outputs[0, 0, 0, 0] / images[0, 0, 0, 0]
        torch.testing.assert_close(outputs[:, :4], images * factor)

    def test_clip_knows_its_bounds(self):
        b = Builder("clip", 1)
        b.output(b.relu6(b.conv(b.picture(32), 3, 8, 3)), "y",
                 ["batch", 8, 32, 32])
        onnx.save(b.model(), self.net)
        network = Trainable(self.net).eval()
        answers = network(100 * torch.randn(1, 3, 32, 32))
        self.assertEqual(answers.min().item(), 0)
        self.assertEqual(answers.max().item(), 6)

    def test_strided_depthwise_convolutions_keep_their_pixels(self):
        for side in (7, 8):
            b = Builder("strided", 1)
            b.output(b.conv(b.picture(side), 3, 3, 3, stride=2, groups=3), "y",
                     ["batch", 3, 4, 4])
            onnx.save(b.model(), self.net)
            network = Trainable(self.net)
            layer = network.layers[0]
            images = torch.randn(2, 3, side, side)
            torch.testing.assert_close(
                layer.call(images, layer.weight),
                torch.nn.functional.conv2d(images, layer.weight, stride=2,
                                           padding=1, groups=3))

    def test_pools_leave_single_pixels_alone(self):
        b = Builder("pools", 1)
        x = b.relu(b.conv(b.picture(32), 3, 8, 3))
        for _ in range(2):
            x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        b.output(x, "y", ["batch", 8, 8, 8])
        onnx.save(b.model(), self.net)
        network = Trainable(self.net).eval()
        shape = network(torch.zeros(1, 3, 2, 2)).shape
        self.assertEqual(tuple(shape), (1, 8, 1, 1))


if __name__ == "__main__":
    unittest.main()
