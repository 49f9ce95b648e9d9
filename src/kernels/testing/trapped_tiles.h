#pragma once
// Lets AMX instructions run on a CPU that lacks them: each one traps, is
// decoded here and done on registers in memory (emulated_tiles.h). So tests
// execute the very code of the AMX kernels, at a microsecond per instruction.

#if defined(__x86_64__)
#include <signal.h>
#include <ucontext.h>

#include <cstring>

#include "core/base/check.h"
#include "core/platform/machine/amx.h"
#include "kernels/testing/emulated_tiles.h"

namespace stint {

// One instruction with a three-byte VEX prefix of the map 0F38.
class TrappedInstruction {
 public:
  TrappedInstruction(const uint8_t* code, const greg_t* registers)
      : code_(code), registers_(registers) {
    STINT_CHECK(code[0] == 0xc4 && (code[1] & 31) == 2);
  }

  // Does it, and returns its length in bytes.
  int Run(TileRegisters* tiles) {
    const int prefix = code_[2] & 3;  // none, 66, F3, F2
    switch (code_[3]) {
      case 0x49:
        return RunState(prefix, tiles);
      case 0x4b: {
        uint8_t* p = Address();
        STINT_CHECK(rm() == 4 && (prefix == 3 || prefix == 2));
        if (prefix == 3) tiles->Load(reg(), p, Index());
        if (prefix == 2) tiles->Store(reg(), p, Index());
        return length_;
      }
      case 0x5c:
        STINT_CHECK(prefix == 2 && mod() == 3);
        tiles->DotBf16(reg(), rm(), third());
        return 5;
      case 0x5e:
        STINT_CHECK(prefix == 1 && mod() == 3);
        tiles->DotU8S8(reg(), rm(), third());
        return 5;
    }
    STINT_CHECK(false);
  }

 private:
  int mod() const { return code_[4] >> 6; }
  int reg() const { return code_[4] >> 3 & 7; }
  int rm() const { return code_[4] & 7; }
  int third() const { return ~(code_[2] >> 3) & 15; }

  int RunState(int prefix, TileRegisters* tiles) {
    if (prefix == 3) {
      tiles->Zero(reg());
      return 5;
    }
    STINT_CHECK(prefix == 0);
    if (mod() == 3) {
      tiles->Release();
      return 5;
    }
    AmxTileConfig config;
    std::memcpy(&config, Address(), sizeof(config));
    tiles->Configure(config);
    return length_;
  }

  int64_t Register(int number) const {
    constexpr int kOrder[] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return registers_[kOrder[number]];
  }
  int64_t Index() const {
    const int number = (code_[5] >> 3 & 7) | (code_[1] & 0x40 ? 0 : 8);
    return Register(number) << (code_[5] >> 6);
  }
  // Base and displacement; sets the length.
  uint8_t* Address() {
    const bool sib = rm() == 4;
    const int base = sib ? code_[5] & 7 : rm();
    STINT_CHECK(mod() != 0 || base != 5);
    length_ = sib ? 6 : 5;
    int64_t at = Register(base | (code_[1] & 0x20 ? 0 : 8));
    if (mod() == 1) at += static_cast<int8_t>(code_[length_++]);
    if (mod() == 2) {
      int32_t displacement;
      std::memcpy(&displacement, code_ + length_, 4);
      at += displacement;
      length_ += 4;
    }
    return reinterpret_cast<uint8_t*>(at);
  }

  const uint8_t* code_;
  const greg_t* registers_;
  int length_ = 0;
};

// While one lives, AMX instructions work: on the CPU where that has them.
class TrappedTiles {
 public:
  TrappedTiles() {
    if (AmxWorks()) return;
    struct sigaction action {};
    action.sa_sigaction = OnIllegalInstruction;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &previous_);
    installed_ = true;
  }
  ~TrappedTiles() {
    if (installed_) sigaction(SIGILL, &previous_, nullptr);
  }
  TrappedTiles(const TrappedTiles&) = delete;
  TrappedTiles& operator=(const TrappedTiles&) = delete;

 private:
  static void OnIllegalInstruction(int, siginfo_t*, void* context) {
    greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    TrappedInstruction instruction(
        reinterpret_cast<const uint8_t*>(registers[REG_RIP]), registers);
    registers[REG_RIP] += instruction.Run(&EmulatedTiles::Registers());
  }

  struct sigaction previous_ {};
  bool installed_ = false;
};

}  // namespace stint
#endif
