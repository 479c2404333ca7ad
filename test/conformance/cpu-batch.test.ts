import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeBatchRequests } from './batch-request-suite.ts';
import { describeBatches } from './batch-suite.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

for (const precision of ['f32', 'f64'] as const) {
  // The smallest tiles: what a bundle needs does not depend on them.
  const open = async () =>
    openCpuEngine({ precision, numThreads: 2, maxQubits: 12, tileQubits: 8 });
  const claims = {
    tolerance: TOLERANCE[precision],
    manyCircuits: 500_001,
    hasExactCounts: precision === 'f64',
  };
  describeBatches(`cpu ${precision}`, open, claims);
  describeBatchRequests(`cpu ${precision}`, open);
}
