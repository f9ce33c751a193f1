// Instruction levels: "base", and on x86 "avx2" and "avx512". Everything hot is compiled once per level.
#pragma once
#include <string>
#include <vector>

namespace mercer {

std::vector<std::string> levels();                     // what this processor and this build run, best first
std::string checked_level(const std::string& asked);   // throws std::invalid_argument unless it is one of them
std::string chosen_level();                            // what MERCER_LEVEL asks for, else the best

}  // namespace mercer
