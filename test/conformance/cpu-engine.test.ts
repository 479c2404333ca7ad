import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { describeEngine } from './engine-suite.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };

for (const precision of ['f32', 'f64'] as const) {
  const claims = { tolerance: TOLERANCE[precision], maxQubits: 20 };
  for (const numThreads of [1, 2]) {
    const open = () => openCpuEngine({ precision, numThreads, maxQubits: 20 });
    describeEngine(`cpu ${precision}, ${numThreads} threads`, open, claims);
  }
  // Small tiles bring their borders, and those between threads, into small circuits.
  const open = () => openCpuEngine({ precision, numThreads: 3, maxQubits: 20, tileQubits: 8 });
  describeEngine(`cpu ${precision}, 3 threads, tiles of 8 qubits`, open, claims);
}
