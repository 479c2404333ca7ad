/**
 * The CPU engine in both precisions. One thread in one tile and several threads over several tiles are
 * two ways through the engine; threads that share one tile's work are in between.
 */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeConfiguration, describeEngine } from './engine-suite.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

// The kernels of both precisions are one source, compiled twice. Each precision and each way passes the whole suite once;
// the other two pairs of them pass what depends on sizes and threads.
for (const [precision, describeOneTile, describeTiled] of [
  ['f32', describeEngine, describeConfiguration],
  ['f64', describeConfiguration, describeEngine],
] as const) {
  const claims = {
    tolerance: TOLERANCE[precision],
    maxQubits: 20,
    hasGradients: true,
    hasTrajectories: true,
    hasDensityMatrices: true,
  };
  const open = (numThreads: number) => () =>
    openCpuEngine({ precision, numThreads, maxQubits: 20 });
  describeOneTile(`cpu ${precision}, 1 thread`, open(1), claims);
  describeConfiguration(`cpu ${precision}, 2 threads`, open(2), claims);
  // Small tiles bring their borders, and those between threads, into small circuits.
  const openTiled = () => openCpuEngine({ precision, numThreads: 3, maxQubits: 20, tileQubits: 8 });
  describeTiled(`cpu ${precision}, 3 threads, tiles of 8 qubits`, openTiled, claims);
}
