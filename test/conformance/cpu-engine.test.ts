/**
 * The CPU engine in both precisions. One thread in one tile and several threads over several tiles are
 * two ways through the engine; threads that share one tile's work are in between.
 */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeConfiguration, describeEngine } from './engine-suite.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

for (const precision of ['f32', 'f64'] as const) {
  const claims = {
    tolerance: TOLERANCE[precision],
    maxQubits: 20,
    hasGradients: true,
    hasTrajectories: true,
    hasDensityMatrices: true,
  };
  const open = (numThreads: number) => () =>
    openCpuEngine({ precision, numThreads, maxQubits: 20 });
  describeEngine(`cpu ${precision}, 1 thread`, open(1), claims);
  describeConfiguration(`cpu ${precision}, 2 threads`, open(2), claims);
  // Small tiles bring their borders, and those between threads, into small circuits.
  const openTiled = () => openCpuEngine({ precision, numThreads: 3, maxQubits: 20, tileQubits: 8 });
  describeEngine(`cpu ${precision}, 3 threads, tiles of 8 qubits`, openTiled, claims);
}
