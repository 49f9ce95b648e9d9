#include "convert/onnx/proto.h"

#include <protozero/exception.hpp>

namespace {

struct WrongWireType : protozero::exception {
  const char* what() const noexcept override {
    return "a field has another wire type than onnx.proto says";
  }
};

}  // namespace

// The reader asserts what a file decides, so its assertions must be errors.
#define protozero_assert(condition)          \
  do {                                       \
    if (!(condition)) throw WrongWireType(); \
  } while (false)
#include <protozero/pbf_reader.hpp>

namespace stint::onnx {
namespace {

using protozero::pbf_reader;

// Graphs nest through attributes; deeper than this is an attack, not a model.
constexpr int kMaxDepth = 64;

struct TooDeep : protozero::exception {
  const char* what() const noexcept override { return "nested too deeply"; }
};

std::string_view View(pbf_reader& r) {
  const protozero::data_view view = r.get_view();
  return {view.data(), view.size()};
}

// Repeated numbers come packed or one by one.
template <typename T, typename Packed, typename Single>
void AppendNumbers(pbf_reader& r, std::vector<T>* out, Packed packed,
                   Single single) {
  if (r.wire_type() == protozero::pbf_wire_type::length_delimited) {
    const auto range = packed(r);
    out->insert(out->end(), range.begin(), range.end());
  } else {
    out->push_back(static_cast<T>(single(r)));
  }
}

void AppendInt64(pbf_reader& r, std::vector<int64_t>* out) {
  AppendNumbers(
      r, out, [](pbf_reader& p) { return p.get_packed_int64(); },
      [](pbf_reader& p) { return p.get_int64(); });
}
void AppendFloat(pbf_reader& r, std::vector<float>* out) {
  AppendNumbers(
      r, out, [](pbf_reader& p) { return p.get_packed_float(); },
      [](pbf_reader& p) { return p.get_float(); });
}

std::pair<std::string_view, std::string_view> ReadStringPair(pbf_reader r) {
  std::pair<std::string_view, std::string_view> entry;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        entry.first = View(r);
        break;
      case 2:
        entry.second = View(r);
        break;
      default:
        r.skip();
    }
  }
  return entry;
}

TensorProto ReadTensor(pbf_reader r) {
  TensorProto t;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        AppendInt64(r, &t.dims);
        break;
      case 2:
        t.data_type = r.get_int32();
        break;
      case 4:
        AppendFloat(r, &t.float_data);
        break;
      case 5:
        AppendNumbers(
            r, &t.int32_data,
            [](pbf_reader& p) { return p.get_packed_int32(); },
            [](pbf_reader& p) { return p.get_int32(); });
        break;
      case 6:
        t.string_data.push_back(View(r));
        break;
      case 7:
        AppendInt64(r, &t.int64_data);
        break;
      case 8:
        t.name = View(r);
        break;
      case 9:
        t.raw_data = View(r);
        break;
      case 10:
        AppendNumbers(
            r, &t.double_data,
            [](pbf_reader& p) { return p.get_packed_double(); },
            [](pbf_reader& p) { return p.get_double(); });
        break;
      case 11:
        AppendNumbers(
            r, &t.uint64_data,
            [](pbf_reader& p) { return p.get_packed_uint64(); },
            [](pbf_reader& p) { return p.get_uint64(); });
        break;
      case 13:
        t.external_data.push_back(ReadStringPair(r.get_message()));
        break;
      case 14:
        t.is_external = r.get_enum() == 1;
        break;
      default:
        r.skip();
    }
  }
  return t;
}

SparseTensorProto ReadSparseTensor(pbf_reader r) {
  SparseTensorProto t;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        t.values = ReadTensor(r.get_message());
        break;
      case 2:
        t.indices = ReadTensor(r.get_message());
        break;
      case 3:
        AppendInt64(r, &t.dims);
        break;
      default:
        r.skip();
    }
  }
  return t;
}

void ReadShape(pbf_reader r, TypeProto* type) {
  type->has_shape = true;
  while (r.next(1)) {
    pbf_reader dim = r.get_message();
    Dimension d;
    while (dim.next()) {
      if (dim.tag() == 1) {
        d.value = dim.get_int64();
      } else if (dim.tag() == 2) {
        d.param = View(dim);
      } else {
        dim.skip();
      }
    }
    type->dims.push_back(d);
  }
}

void ReadTensorType(pbf_reader r, TypeProto* type) {
  while (r.next()) {
    if (r.tag() == 1) {
      type->elem_type = r.get_int32();
    } else if (r.tag() == 2) {
      ReadShape(r.get_message(), type);
    } else {
      r.skip();
    }
  }
}

TypeProto ReadType(pbf_reader r, int depth) {
  if (depth > kMaxDepth) throw TooDeep();
  TypeProto type;
  const auto inner = [&](pbf_reader m) {
    TypeProto element;
    while (m.next()) {
      if (m.tag() == 1) {
        element = ReadType(m.get_message(), depth + 1);
      } else {
        m.skip();
      }
    }
    return element;
  };
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        ReadTensorType(r.get_message(), &type);
        type.kind = TypeProto::Kind::kTensor;
        break;
      case 4:
        type = inner(r.get_message());
        type.kind = TypeProto::Kind::kSequence;
        break;
      case 9:
        type = inner(r.get_message());
        type.optional_sequence = type.kind == TypeProto::Kind::kSequence;
        type.kind = TypeProto::Kind::kOptional;
        break;
      case 5:
      case 8:
        type.kind = TypeProto::Kind::kOther;
        r.skip();
        break;
      default:
        r.skip();
    }
  }
  return type;
}

ValueInfoProto ReadValueInfo(pbf_reader r) {
  ValueInfoProto info;
  while (r.next()) {
    if (r.tag() == 1) {
      info.name = View(r);
    } else if (r.tag() == 2) {
      info.type = ReadType(r.get_message(), 0);
    } else {
      r.skip();
    }
  }
  return info;
}

GraphProto ReadGraph(pbf_reader r, int depth);

AttributeProto ReadAttribute(pbf_reader r, int depth) {
  AttributeProto a;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        a.name = View(r);
        break;
      case 2:
        a.f = r.get_float();
        break;
      case 3:
        a.i = r.get_int64();
        break;
      case 4:
        a.s = View(r);
        break;
      case 5:
        a.t = std::make_shared<TensorProto>(ReadTensor(r.get_message()));
        break;
      case 6:
        a.g =
            std::make_shared<GraphProto>(ReadGraph(r.get_message(), depth + 1));
        break;
      case 7:
        AppendFloat(r, &a.floats);
        break;
      case 8:
        AppendInt64(r, &a.ints);
        break;
      case 9:
        a.strings.push_back(View(r));
        break;
      case 14:
        a.tp = std::make_shared<TypeProto>(ReadType(r.get_message(), depth));
        break;
      case 20:
        a.type = r.get_enum();
        break;
      case 21:
        a.ref_attr_name = View(r);
        break;
      case 22:
        a.sparse_tensor = std::make_shared<SparseTensorProto>(
            ReadSparseTensor(r.get_message()));
        break;
      default:
        r.skip();
    }
  }
  return a;
}

NodeProto ReadNode(pbf_reader r, int depth) {
  NodeProto node;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        node.inputs.push_back(View(r));
        break;
      case 2:
        node.outputs.push_back(View(r));
        break;
      case 3:
        node.name = View(r);
        break;
      case 4:
        node.op_type = View(r);
        break;
      case 5:
        node.attributes.push_back(ReadAttribute(r.get_message(), depth));
        break;
      case 7:
        node.domain = View(r);
        break;
      default:
        r.skip();
    }
  }
  return node;
}

GraphProto ReadGraph(pbf_reader r, int depth) {
  if (depth > kMaxDepth) throw TooDeep();
  GraphProto graph;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        graph.nodes.push_back(ReadNode(r.get_message(), depth));
        break;
      case 2:
        graph.name = View(r);
        break;
      case 5:
        graph.initializers.push_back(ReadTensor(r.get_message()));
        break;
      case 10:
        graph.doc_string = View(r);
        break;
      case 11:
        graph.inputs.push_back(ReadValueInfo(r.get_message()));
        break;
      case 12:
        graph.outputs.push_back(ReadValueInfo(r.get_message()));
        break;
      case 13:
        graph.value_infos.push_back(ReadValueInfo(r.get_message()));
        break;
      case 15:
        graph.sparse_initializers.push_back(ReadSparseTensor(r.get_message()));
        break;
      default:
        r.skip();
    }
  }
  return graph;
}

std::pair<std::string_view, int64_t> ReadOpsetImport(pbf_reader r) {
  std::pair<std::string_view, int64_t> import;
  while (r.next()) {
    if (r.tag() == 1) {
      import.first = View(r);
    } else if (r.tag() == 2) {
      import.second = r.get_int64();
    } else {
      r.skip();
    }
  }
  return import;
}

FunctionProto ReadFunction(pbf_reader r) {
  FunctionProto f;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        f.name = View(r);
        break;
      case 4:
        f.inputs.push_back(View(r));
        break;
      case 5:
        f.outputs.push_back(View(r));
        break;
      case 6:
        f.attributes.push_back(View(r));
        break;
      case 7:
        f.nodes.push_back(ReadNode(r.get_message(), 1));
        break;
      case 9:
        f.opset_imports.push_back(ReadOpsetImport(r.get_message()));
        break;
      case 10:
        f.domain = View(r);
        break;
      case 11:
        f.attribute_defaults.push_back(ReadAttribute(r.get_message(), 1));
        break;
      default:
        r.skip();
    }
  }
  return f;
}

ModelProto ReadModel(pbf_reader r) {
  ModelProto model;
  while (r.next()) {
    switch (r.tag()) {
      case 1:
        model.ir_version = r.get_int64();
        break;
      case 2:
        model.producer = View(r);
        break;
      case 7:
        model.graph = ReadGraph(r.get_message(), 0);
        model.has_graph = true;
        break;
      case 8:
        model.opset_imports.push_back(ReadOpsetImport(r.get_message()));
        break;
      case 25:
        model.functions.push_back(ReadFunction(r.get_message()));
        break;
      default:
        r.skip();
    }
  }
  return model;
}

ValueProto ReadValue(pbf_reader r, int depth) {
  if (depth > kMaxDepth) throw TooDeep();
  ValueProto value;
  while (r.next()) {
    switch (r.tag()) {
      case 3:
        value.elements.push_back({ReadTensor(r.get_message()), {}});
        break;
      case 5:
        value.elements.push_back(ReadValue(r.get_message(), depth + 1));
        break;
      default:
        r.skip();
    }
  }
  return value;
}

// Turns the reader's exceptions into a Status; none leaves this file.
template <typename F>
auto Guarded(F f) -> Result<decltype(f())> {
  try {
    return f();
  } catch (const protozero::exception& e) {
    return Damaged(std::string("not a valid protobuf message: ") + e.what());
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory while reading");
  }
}

pbf_reader Reader(std::string_view bytes) {
  return pbf_reader(bytes.data(), bytes.size());
}

}  // namespace

Result<ModelProto> ParseModel(std::string_view bytes) {
  return Guarded([&] { return ReadModel(Reader(bytes)); });
}

Result<TensorProto> ParseTensor(std::string_view bytes) {
  return Guarded([&] { return ReadTensor(Reader(bytes)); });
}

Result<ValueProto> ParseValue(std::string_view bytes) {
  return Guarded([&] { return ReadValue(Reader(bytes), 0); });
}

}  // namespace stint::onnx
