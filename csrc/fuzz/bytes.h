// What a fuzz target makes of bytes: small whole numbers, ordinary numbers, and now and then any bits at all.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

class Bytes {
 public:
  // Beyond their end there are zeros, or numbers drawn by a seed that the bytes make.
  Bytes(const uint8_t* data, size_t size, bool drawn = false) : at_(data), end_(data + size) {
    for (size_t k = 0; drawn && k < size; ++k) seed_ = (seed_ ^ data[k]) * 1099511628211u;
    if (drawn) seed_ |= 1;
  }
  int64_t below(int64_t most) {
    if (at_ < end_) return *at_++ % most;
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 7;
    seed_ ^= seed_ << 17;
    return (int64_t)(seed_ >> 20) % most;
  }
  double number(bool finite) {
    const int64_t kind = below(8);
    double value = (double)below(256) / 16 - 4;
    if (kind == 0 && end_ - at_ >= 8) {
      std::memcpy(&value, at_, 8);
      at_ += 8;
      if (finite && !(std::fabs(value) < 1e150)) value = 1e149;
    }
    return kind == 1 ? 1.0 : value;
  }
  std::vector<double> numbers(size_t count, bool finite) {
    std::vector<double> out(count);
    for (double& v : out) v = number(finite);
    return out;
  }

 private:
  const uint8_t *at_, *end_;
  uint64_t seed_ = 0;
};

// Ends the process where a promise is broken; a fuzzer keeps the bytes.
inline void hold(bool what, const char* promise = "the slow twin says the same") {
  if (what) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}
