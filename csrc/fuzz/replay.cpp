// Runs the fuzz target without libFuzzer: on bytes of its own, so that a cross-compiled build can be tried under an
// emulator, or on the files named as arguments.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  if (argc == 2 && std::atoi(argv[1]) > 0) {
    const int count = std::atoi(argv[1]);
    std::mt19937 draw(0);
    for (int k = 0; k < count; ++k) {
      std::vector<uint8_t> bytes(draw() % 600);
      for (uint8_t& b : bytes) b = (uint8_t)draw();
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%d inputs, none of them told apart from the plain way\n", count);
    return 0;
  }
  for (int k = 1; k < argc; ++k) {
    std::ifstream file(argv[k], std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
