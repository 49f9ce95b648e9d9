#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE and size_t

#include "convert/data/image/image.h"

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

namespace stint {
namespace {

// Progressive pictures have about ten scans; each costs a pass over the whole
// picture however little data it has.
constexpr int kMaxScans = 64;
// Huffman coding needs at least one bit for a block of 8x8 pixels.
constexpr int64_t kMaxPixelsPerByte = 8 * 64;

// libjpeg's state. An error jumps back into the function that set `jump`, so
// the functions below that set it own nothing that needs destruction.
struct JpegReader {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void OnError(j_common_ptr info) {
  auto* reader = static_cast<JpegReader*>(info->client_data);
  info->err->format_message(info, reader->message);
  std::longjmp(reader->jump, 1);
}

// Of the warnings, missing or corrupt data is an error for us: libjpeg would
// deliver a partly gray picture.
void OnMessage(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER ||
                    code == JWRN_HUFF_BAD_CODE)) {
    OnError(info);
  }
}

void OnOutput(j_common_ptr /*info*/) {}

void OnProgress(j_common_ptr info) {
  auto* reader = static_cast<JpegReader*>(info->client_data);
  if (reader->info.input_scan_number <= kMaxScans) return;
  std::snprintf(reader->message, sizeof(reader->message), "more than %d scans",
                kMaxScans);
  std::longjmp(reader->jump, 1);
}

bool ReadHeader(JpegReader* reader, std::string_view bytes) {
  if (setjmp(reader->jump) != 0) return false;
  jpeg_create_decompress(&reader->info);
  jpeg_mem_src(&reader->info,
               reinterpret_cast<const unsigned char*>(bytes.data()),
               bytes.size());
  reader->info.progress = &reader->progress;
  jpeg_read_header(&reader->info, TRUE);
  return true;
}

// Decodes into `rgb`, which has room for the whole picture. The settings that
// matter (integer transform, smooth upsampling) are libjpeg's and PIL's
// defaults.
bool ReadPixels(JpegReader* reader, uint8_t* rgb) {
  if (setjmp(reader->jump) != 0) return false;
  jpeg_decompress_struct* info = &reader->info;
  info->out_color_space = JCS_RGB;
  jpeg_start_decompress(info);
  const size_t row_bytes = size_t{3} * info->output_width;
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = rgb + info->output_scanline * row_bytes;
    jpeg_read_scanlines(info, &row, 1);
  }
  jpeg_finish_decompress(info);
  return true;
}

Status CheckHeader(const jpeg_decompress_struct& info, size_t bytes) {
  const std::string size = std::to_string(info.image_width) + "x" +
                           std::to_string(info.image_height);
  const int64_t pixels = int64_t{info.image_width} * info.image_height;
  if (pixels > kMaxImagePixels) {
    return ResourceExhausted("JPEG of " + size + " pixels, at most " +
                             std::to_string(kMaxImagePixels) + " are read");
  }
  if (info.num_components != 1 && info.num_components != 3) {
    return Unsupported("JPEG with " + std::to_string(info.num_components) +
                       " color components, expected 1 or 3");
  }
  if (info.arith_code == FALSE &&
      pixels > static_cast<int64_t>(bytes) * kMaxPixelsPerByte) {
    return Damaged("JPEG of " + size + " pixels cannot be in " +
                   std::to_string(bytes) + " bytes");
  }
  return OkStatus();
}

Result<Image> Decode(JpegReader* reader, std::string_view bytes) {
  if (!ReadHeader(reader, bytes)) {
    return Damaged(std::string("JPEG: ") + reader->message);
  }
  STINT_RETURN_IF_ERROR(CheckHeader(reader->info, bytes.size()));
  Image image;
  image.width = static_cast<int>(reader->info.image_width);
  image.height = static_cast<int>(reader->info.image_height);
  image.rgb.resize(size_t{3} * image.width * image.height);
  if (!ReadPixels(reader, image.rgb.data())) {
    return Damaged(std::string("JPEG: ") + reader->message);
  }
  return image;
}

}  // namespace

Result<Image> DecodeJpeg(std::string_view bytes) {
  JpegReader reader = {};
  reader.info.err = jpeg_std_error(&reader.errors);
  reader.info.client_data = &reader;
  reader.errors.error_exit = OnError;
  reader.errors.emit_message = OnMessage;
  reader.errors.output_message = OnOutput;
  reader.progress.progress_monitor = OnProgress;
  Result<Image> image = Decode(&reader, bytes);
  jpeg_destroy_decompress(&reader.info);
  return image;
}

}  // namespace stint
