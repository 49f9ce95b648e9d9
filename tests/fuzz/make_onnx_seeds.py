#!/usr/bin/env python3
"""Writes the seeds of the ONNX fuzzer, tests/fuzz/onnx: one small model per feature of the format.

Usage: make_onnx_seeds.py FOLDER, where FOLDER holds the unpacked ONNX backend tests. Needs onnx and numpy.
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SEEDS = pathlib.Path(__file__).resolve().parent / "onnx"

# One case per operator, or per way of using one that imports differently.
CASES = """
add and2d argmax_default_axis_example averagepool_1d_default batchnorm_example bitshift_left_uint8
cast_INT2_to_INT8 castlike_INT2_to_INT8_expanded celu_expanded clip_default_inbounds concat_1d_axis_0
constant constant_pad constantofshape_int_zeros conv_with_strides_padding convtranspose_1d cumsum_1d
depthtospace_example dequantizelinear_e5m2 einsum_scalar expand_dim_unchanged eyelike_without_dtype
flatten_axis0 gather_negative_indices gathernd_example_int32 gemm_default_no_bias globalaveragepool
group_normalization_example gru_defaults if if_opt if_seq layer_normalization_2d_axis1 loop11 loop13_seq
loop16_seq_none lppool_2d_default lrn_default lstm_defaults matmul_1d_1d maxpool_1d_default mean_one_input
mod_uint8 nonmaxsuppression_single_box nonzero_example onehot_without_axis optional_has_element_empty_no_input_tensor_input
qlinearconv quantizelinear range_float_type_positive_delta reduce_sum_empty_set reshape_one_dim
resize_upsample_sizes_cubic scan9_scalar scan_sum scatternd sequence_insert_at_back sequence_map_identity_1_sequence
slice_default_axes softmax_example spacetodepth split_to_sequence_1 squeeze string_concat tile_precomputed
top_k transpose_default tril unique_length_1 unsqueeze_axis_0 upsample_nearest where_example
""".split()


def save(name, nodes, inputs=(), outputs=("y",), functions=(), **graph_fields):
    def info(value):
        return helper.make_tensor_value_info(value, TensorProto.FLOAT, [2])
    graph = helper.make_graph(nodes, "g", [info(i) for i in inputs], [info(o) for o in outputs], **graph_fields)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, opset_imports=opsets, functions=list(functions), producer_name="")
    (SEEDS / name).write_bytes(model.SerializeToString())


def sparse():
    values = numpy_helper.from_array(np.array([1.5], np.float32), "s")
    return helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([1], np.int64), "i"), [2])


def make_features():
    add = helper.make_node("Add", ["x", "s"], ["y"])
    save("sparse_initializer", [add], ["x"], sparse_initializer=[sparse()])
    save("sparse_constant", [helper.make_node("Constant", [], ["y"], sparse_value=sparse())])
    for key, value in {"value_float": 1.0, "value_int": 3, "value_string": "a", "value_floats": [1.0, 2.0],
                       "value_ints": [1, 2], "value_strings": ["a", "b"]}.items():
        save(f"constant_{key}", [helper.make_node("Constant", [], ["y"], **{key: value})])
    external = TensorProto(name="s", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "weights.bin", "offset": "0", "length": "8"}.items():
        external.external_data.add(key=key, value=value)
    save("external_data", [add], ["x"], initializer=[external])
    alpha = helper.make_node("LeakyRelu", ["a"], ["b"])
    alpha.attribute.add(name="alpha", ref_attr_name="alpha", type=1)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    inner = helper.make_function("local", "Inner", ["a"], ["b"], [alpha], opsets, ["alpha"])
    outer = helper.make_function("local", "Outer", ["a"], ["b"], [
        helper.make_node("Inner", ["a"], ["t"], domain="local", alpha=0.5),
        helper.make_node("Add", ["a", "t"], ["b"])], opsets)
    save("function", [helper.make_node("Outer", ["x"], ["y"], domain="local")], ["x"], functions=[outer, inner])
    initializer = numpy_helper.from_array(np.array([1, 2], np.float32), "s")
    save("initializer", [add], ["x"], initializer=[initializer])
    save("branches", [helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True))),
                      helper.make_node("If", ["c"], ["y"], then_branch=branch("Relu"), else_branch=branch("Neg"))], ["x"])


def branch(op):
    output = helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])
    return helper.make_graph([helper.make_node(op, ["x"], ["r"])], op, [], [output])


def main():
    SEEDS.mkdir(exist_ok=True)
    for case in CASES:
        model = pathlib.Path(sys.argv[1]) / "node" / f"test_{case}" / "model.onnx"
        (SEEDS / case).write_bytes(model.read_bytes())
    make_features()
    print(f"{len(list(SEEDS.iterdir()))} seeds, {sum(p.stat().st_size for p in SEEDS.iterdir())} bytes")


main()
