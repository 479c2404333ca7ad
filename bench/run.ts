/** `npm run bench [-- NAME …]`: runs the benchmarks of this folder, or the named ones. */

import { benchActiveQubits } from './active-qubits.ts';
import { benchBatches } from './batches.ts';
import { benchCircuitBatches } from './circuit-batches.ts';
import { benchCluster } from './cluster.ts';
import { benchCompileTime } from './compile-time.ts';
import { benchCpuEngine } from './cpu-engine.ts';
import { benchDecoding } from './decoding.ts';
import { benchDensity } from './density.ts';
import { benchEstimates } from './estimates.ts';
import { benchExperiments, benchThresholdPlot } from './experiments.ts';
import { benchFirstRequests } from './first-requests.ts';
import { benchFresh } from './fresh.ts';
import { benchGradients } from './gradients.ts';
import { benchHttpCircuits } from './http-circuits.ts';
import { benchInference } from './inference.ts';
import { benchMatrixProductThreads } from './matrix-product-threads.ts';
import { benchMatrixProducts } from './matrix-products.ts';
import { benchMethodMemory } from './method-memory.ts';
import { benchNearClifford } from './near-clifford.ts';
import { benchNoise } from './noise.ts';
import { benchObservables } from './observables.ts';
import { benchPauliPropagation } from './pauli-propagation.ts';
import { benchPlacement } from './placement.ts';
import { benchReferenceEngine } from './reference-engine.ts';
import { benchSpreadEngine } from './spread-engine.ts';
import { benchStabilizer } from './stabilizer.ts';
import { benchSweeps } from './sweeps.ts';
import { benchWebGpuBatches } from './webgpu-batches.ts';
import { benchWebGpuEngine } from './webgpu-engine.ts';
import { benchWebGpuNoise } from './webgpu-noise.ts';
import { benchWorkerBatches } from './worker-batches.ts';

const BENCHES: Readonly<Record<string, () => Promise<void>>> = {
  sweeps: benchSweeps,
  'reference-engine': benchReferenceEngine,
  'cpu-engine': benchCpuEngine,
  'circuit-batches': benchCircuitBatches,
  cluster: benchCluster,
  'compile-time': benchCompileTime,
  // Bundles have no browser, nor what drives one.
  console: async () => (await import('./console.ts')).benchConsole(),
  batches: benchBatches,
  'active-qubits': benchActiveQubits,
  decoding: benchDecoding,
  density: benchDensity,
  estimates: benchEstimates,
  experiments: benchExperiments,
  'first-requests': benchFirstRequests,
  fresh: benchFresh,
  gradients: benchGradients,
  'http-circuits': benchHttpCircuits,
  inference: benchInference,
  'matrix-products': benchMatrixProducts,
  'near-clifford': benchNearClifford,
  'method-memory': benchMethodMemory,
  'matrix-product-threads': benchMatrixProductThreads,
  noise: benchNoise,
  observables: benchObservables,
  'pauli-propagation': benchPauliPropagation,
  placement: benchPlacement,
  stabilizer: benchStabilizer,
  'threshold-plot': benchThresholdPlot,
  'webgpu-batches': benchWebGpuBatches,
  'webgpu-engine': benchWebGpuEngine,
  'webgpu-noise': benchWebGpuNoise,
  'spread-engine': benchSpreadEngine,
  'worker-batches': benchWorkerBatches,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}; there are: ${Object.keys(BENCHES).join(', ')}.\n`,
  );
  process.exit(2);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
