// Times qsim's simulators on circuits in qsim's text format: the evolution alone (from a cleared
// state to cudaDeviceSynchronize), and with the fusing of the gates, in single precision.
//
//   qsim-cuda [-f SIZES] [-r REPEATS] [-t THREADS] [-b BUDGET_S] [-e] FILE.qsim...
//
// SIZES: widest fused gates, as in "4,2,3": all files with the first, then all with the second ...
// Beside FILE.qsim may lie FILE.ref (all amplitudes, float64 re, im), FILE.amp (rows of index, re,
// im) and FILE.exp (<X>, <Y>, <Z> of every qubit; asked for with -e). One JSON object a line.
//
// Put into the folder apps of qsim's sources (github.com/quantumlib/qsim) and built there with one of
// -DBACKEND_CUDA, -DBACKEND_CUSTATEVEC and -DBACKEND_CPU, for an H100 for example with
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -DBACKEND_CUDA -o qsim-cuda qsim-cuda.cu
//
// bench/peers/qsim-circuits.ts writes the circuits.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#if defined(BACKEND_CUDA)
#include "../lib/simulator_cuda.h"
#elif defined(BACKEND_CUSTATEVEC)
#include <custatevec.h>
#include "../lib/simulator_custatevec.h"
#include "../lib/util_custatevec.h"
#else
#include "../lib/formux.h"
#include "../lib/simulator_avx.h"
#endif
#include "../lib/circuit_qsim_parser.h"
#include "../lib/fuser_mqubit.h"
#include "../lib/gate_appl.h"
#include "../lib/io_file.h"
#include "../lib/operation.h"
#include "../lib/run_qsim.h"

#if defined(__GLIBC__)
// A static libstdc++ built on glibc 2.36 asks for this; with it here, glibc 2.35 will do.
extern "C" unsigned arc4random() noexcept { return 4; }
#endif

namespace {

using fp_type = float;
using Amplitude = std::complex<double>;
using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Backend {
#if defined(BACKEND_CUDA)
  static constexpr char name[] = "qsim CUDA";
  using Simulator = qsim::SimulatorCUDA<fp_type>;
  using StateSpace = Simulator::StateSpace;
  explicit Backend(unsigned threads) { if (threads) parameter.num_threads = threads; }
  StateSpace CreateStateSpace() const { return StateSpace(parameter); }
  Simulator CreateSimulator() const { return Simulator(); }
  StateSpace::Parameter parameter;
#elif defined(BACKEND_CUSTATEVEC)
  static constexpr char name[] = "qsim cuStateVec";
  using Simulator = qsim::SimulatorCuStateVec<fp_type>;
  using StateSpace = Simulator::StateSpace;
  explicit Backend(unsigned) {
    using namespace qsim;
    ErrorCheck(cublasCreate(&cublas));
    ErrorCheck(custatevecCreate(&custatevec));
  }
  ~Backend() {
    using namespace qsim;
    ErrorCheck(cublasDestroy(cublas));
    ErrorCheck(custatevecDestroy(custatevec));
  }
  StateSpace CreateStateSpace() const { return StateSpace(cublas, custatevec); }
  Simulator CreateSimulator() const { return Simulator(cublas, custatevec); }
  cublasHandle_t cublas;
  custatevecHandle_t custatevec;
#else
  static constexpr char name[] = "qsim AVX";
  using Simulator = qsim::SimulatorAVX<qsim::For>;
  using StateSpace = Simulator::StateSpace;
  explicit Backend(unsigned threads) : threads(threads ? threads : 1) {}
  StateSpace CreateStateSpace() const { return StateSpace(threads); }
  Simulator CreateSimulator() const { return Simulator(threads); }
  unsigned threads;
#endif
};

using Simulator = Backend::Simulator;
using StateSpace = Backend::StateSpace;
using State = StateSpace::State;
using Circuit = qsim::Circuit<qsim::Operation<fp_type>>;
using Fuser = qsim::MultiQubitGateFuser<qsim::IO>;

void Sync() {
#if !defined(BACKEND_CPU)
  using namespace qsim;
  ErrorCheck(cudaDeviceSynchronize());
#endif
}

std::string DeviceName() {
#if defined(BACKEND_CPU)
  return "CPU";
#else
  using namespace qsim;
  cudaDeviceProp properties;
  ErrorCheck(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
#endif
}

std::string Beside(const std::string& file, const char* ending) {
  return file.substr(0, file.rfind('.')) + ending;
}

/** The largest distance of an amplitude after the best global phase. */
double WorstDifference(const std::vector<Amplitude>& expected, const std::vector<Amplitude>& found) {
  Amplitude overlap = 0;
  for (size_t i = 0; i < expected.size(); ++i) overlap += std::conj(found[i]) * expected[i];
  Amplitude turn = std::abs(overlap) > 0 ? overlap / std::abs(overlap) : 1;
  double worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] * turn - expected[i]));
  }
  return worst;
}

std::string Check(const Backend& backend, const std::string& file, bool expectations, State& state) {
  std::ostringstream out;
  out.precision(9);
  unsigned n = state.num_qubits();
  StateSpace state_space = backend.CreateStateSpace();
  out << ",\"norm\":" << state_space.Norm(state) << ",\"amplitudes\":[";
  for (uint64_t i = 0; i < std::min(uint64_t{8}, uint64_t{1} << n); ++i) {
    auto a = StateSpace::GetAmpl(state, i);
    out << (i ? "," : "") << a.real() << "," << a.imag();
  }
  out << "]";
  // Pauli matrices, real and imaginary parts in turn.
  if (std::ifstream in(Beside(file, ".exp")); in && expectations) {
    const std::vector<fp_type> paulis[] = {
        {0, 0, 1, 0, 1, 0, 0, 0}, {0, 0, 0, -1, 0, 1, 0, 0}, {1, 0, 0, 0, 0, 0, -1, 0}};
    Simulator simulator = backend.CreateSimulator();
    double worst = 0, expected;
    unsigned k = 0;
    for (; k < 3 * n && in >> expected; ++k) {
      auto found = simulator.ExpectationValue({k % n}, paulis[k / n].data(), state);
      worst = std::max(worst, std::abs(found.real() - expected));
    }
    out << ",\"expectations\":" << k << ",\"worstExpectation\":" << worst;
  }
  if (std::ifstream in(Beside(file, ".amp")); in) {
    std::vector<Amplitude> expected, found;
    uint64_t index;
    double re, im;
    while (in >> index >> re >> im) {
      expected.push_back({re, im});
      auto a = StateSpace::GetAmpl(state, index);
      found.push_back({a.real(), a.imag()});
    }
    double largest = 0;
    for (auto a : expected) largest = std::max(largest, std::abs(a));
    out << ",\"comparedAmplitudes\":" << expected.size()
        << ",\"worstAmplitudeOfLargest\":" << WorstDifference(expected, found) / largest;
  }
  if (std::ifstream in(Beside(file, ".ref"), std::ios::binary); in) {
    uint64_t size = uint64_t{1} << n;
    std::vector<double> parts(2 * size);
    in.read(reinterpret_cast<char*>(parts.data()), parts.size() * sizeof(double));
    bool complete = in.gcount() == std::streamsize(parts.size() * sizeof(double));
    std::vector<fp_type> host(StateSpace::MinSize(n));
    // Last, as this reorders the state.
    state_space.InternalToNormalOrder(state);
    if (complete && state_space.Copy(state, host.data())) {
      std::vector<Amplitude> expected, found;
      for (uint64_t i = 0; i < size; ++i) {
        expected.push_back({parts[2 * i], parts[2 * i + 1]});
        found.push_back({host[2 * i], host[2 * i + 1]});
      }
      out << ",\"comparedAmplitudes\":" << size
          << ",\"worstDifference\":" << WorstDifference(expected, found);
    } else {
      out << ",\"error\":\"the reference amplitudes are incomplete\"";
    }
  }
  return out.str();
}

bool Measure(const Backend& backend, const std::string& file, const Circuit& circuit, unsigned f,
             unsigned repeats, bool expectations, State& state) {
  StateSpace state_space = backend.CreateStateSpace();
  Simulator simulator = backend.CreateSimulator();
  std::vector<double> evolution, whole, issuing, fuse;
  size_t num_fused = 0, widest = 0;
  Fuser::Parameter parameter;
  parameter.max_fused_size = f;
  double first = 0;
  // The first warms up.
  for (unsigned i = 0; i <= repeats; ++i) {
    state_space.SetStateZero(state);
    Sync();
    auto start = Clock::now();
    auto fused = Fuser::FuseGates(parameter, circuit.num_qubits, circuit.ops);
    double fusing = MsSince(start);
    if (fused.empty()) return false;
    auto begin = Clock::now();
    for (const auto& op : fused) qsim::ApplyGate(simulator, op, state);
    double issued = MsSince(begin);
    Sync();
    double evolved = MsSince(begin);
    double all = MsSince(start);
    if (i == 0) {
      first = all;
      num_fused = fused.size();
      for (const auto& op : fused) widest = std::max(widest, qsim::OpQubits(op).size());
      continue;
    }
    evolution.push_back(evolved);
    whole.push_back(all);
    issuing.push_back(issued);
    fuse.push_back(fusing);
  }
  std::string base = file.substr(file.rfind('/') + 1);
  auto [least, most] = std::minmax_element(evolution.begin(), evolution.end());
  std::printf("{\"simulator\":\"%s\",\"circuit\":\"%s\",\"numQubits\":%u,\"maxFused\":%u,\"gates\":%zu,"
              "\"fusedGates\":%zu,\"widestFused\":%zu,\"runs\":%u,\"evolutionMs\":%.4f,"
              "\"spreadMs\":[%.4f,%.4f],\"issuingMs\":%.4f,\"fuseMs\":%.4f,\"fuseAndEvolveMs\":%.4f,\"firstMs\":%.4f",
              Backend::name, base.substr(0, base.find('_')).c_str(), circuit.num_qubits, f,
              circuit.ops.size(), num_fused, widest, repeats, Median(evolution), *least, *most,
              Median(issuing), Median(fuse), Median(whole), first);
  // The checks may end the process.
  std::fflush(stdout);
  std::printf("%s}\n", Check(backend, file, expectations, state).c_str());
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<unsigned> sizes{4};
  unsigned repeats = 5, threads = 0;
  double budget = 1e9;
  bool expectations = false;
  for (int k; (k = getopt(argc, argv, "f:r:t:b:e")) != -1;) {
    if (k == 'f') {
      sizes.clear();
      std::stringstream list(optarg);
      for (std::string part; std::getline(list, part, ',');) sizes.push_back(std::stoul(part));
    } else if (k == 'r') {
      repeats = std::stoul(optarg);
    } else if (k == 't') {
      threads = std::stoul(optarg);
    } else if (k == 'b') {
      budget = std::stod(optarg);
    } else if (k == 'e') {
      expectations = true;
    } else {
      return 2;
    }
  }
  auto start = Clock::now();
  Backend backend(threads);
  std::fprintf(stderr, "%s on %s\n", Backend::name, DeviceName().c_str());
  int status = 0;
  // One state at a time, kept while the width stays the same.
  std::unique_ptr<State> state;
  for (unsigned f : sizes) {
    for (int i = optind; i < argc; ++i) {
      std::string file = argv[i];
      if (MsSince(start) > 1000 * budget) {
        std::fprintf(stderr, "%s f=%u: left out, the time is up\n", file.c_str(), f);
        continue;
      }
      Circuit circuit;
      bool parsed = qsim::CircuitQsimParser<qsim::IOFile>::FromFile(
          std::numeric_limits<unsigned>::max(), file, circuit);
      if (parsed && (!state || state->num_qubits() != circuit.num_qubits)) {
        state.reset();
        state.reset(new State(StateSpace::Create(circuit.num_qubits)));
      }
      if (!parsed || StateSpace::IsNull(*state)) {
        std::fprintf(stderr, "%s: not read, or no memory for its state\n", file.c_str());
        state.reset();
        status = 1;
        continue;
      }
      if (!Measure(backend, file, circuit, f, repeats, expectations, *state)) status = 1;
    }
  }
  state.reset();
  return status;
}
