#include "convert/onnx/write_file.h"

#include "convert/onnx/export.h"
#include "convert/onnx/import.h"
#include "core/platform/file.h"

namespace stint {
namespace {

// Dimensions with the same name are the same, whatever their ids.
bool SameDim(const Graph& a, int64_t dim_a, const Graph& b, int64_t dim_b) {
  if (dim_a > kFirstSymbol || dim_b > kFirstSymbol) return dim_a == dim_b;
  return a.symbols()[static_cast<size_t>(kFirstSymbol - dim_a)] ==
         b.symbols()[static_cast<size_t>(kFirstSymbol - dim_b)];
}

// `exact`: what is not known of `a` is not known of `b`.
bool SameType(const Graph& a, const ValueType& of_a, const Graph& b,
              const ValueType& of_b, bool exact) {
  if (!of_a.typed && !exact) return true;
  if (of_a.typed != of_b.typed || of_a.kind != of_b.kind ||
      of_a.dtype != of_b.dtype) {
    return false;
  }
  // Of others than tensors nothing says shapes.
  if (!of_a.is_tensor() || (!of_a.ranked && !exact)) return true;
  if (of_a.ranked != of_b.ranked || of_a.rank() != of_b.rank()) return false;
  for (size_t d = 0; d < of_a.dims.size(); ++d) {
    const bool free = !exact && !IsKnown(of_a.dims[d]);
    if (!free && !SameDim(a, of_a.dims[d], b, of_b.dims[d])) return false;
  }
  return true;
}

Status CheckValues(const Graph& written, const std::vector<ValueId>& expected,
                   const Graph& read, const std::vector<ValueId>& found,
                   bool exact) {
  const std::string what = exact ? "input" : "output";
  if (expected.size() != found.size()) {
    return Damaged("reads back with " + std::to_string(found.size()) + " " +
                   what + "s, expected " + std::to_string(expected.size()));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const GraphValue& was = written.value(expected[i]);
    const GraphValue& is = read.value(found[i]);
    const bool same_name = was.name.empty() || was.name == is.name;
    if (same_name && SameType(written, was.type, read, is.type, exact)) {
      continue;
    }
    return Damaged(what + " '" + was.name + "' reads back as '" + is.name +
                   "' " + ToString(is.type, read.symbols()) + ", expected " +
                   ToString(was.type, written.symbols()));
  }
  return OkStatus();
}

}  // namespace

Status CheckSameInterface(const Graph& written, const Graph& read) {
  STINT_RETURN_IF_ERROR(
      CheckValues(written, written.inputs(), read, read.inputs(), true));
  return CheckValues(written, written.outputs(), read, read.outputs(), false);
}

Result<int64_t> WriteOnnxFile(const Graph& graph, const std::string& path) {
  STINT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  {
    STINT_ASSIGN_OR_RETURN(const std::string bytes, ExportOnnxBytes(graph));
    STINT_RETURN_IF_ERROR(file.Append(bytes));
  }
  STINT_ASSIGN_OR_RETURN(const auto written, file.Map());
  const auto read =
      ImportOnnxBytes({reinterpret_cast<const char*>(written->bytes().data()),
                       written->bytes().size()},
                      DirectoryOf(path), written);
  Status checked = read.status();
  if (checked.ok()) checked = CheckSameInterface(graph, **read);
  if (!checked.ok()) {
    return checked.Annotate(path + ": not written, the ONNX form is not sound");
  }
  STINT_RETURN_IF_ERROR(file.Commit());
  return file.bytes();
}

}  // namespace stint
