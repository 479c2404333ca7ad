/** The CPU engine on states whose addresses have more than 32 bits, as those of 29 qubits and more have. */
import { NODE_HOST } from '../../src/engine/cpu/cpu-engine.ts';
import { openHostedEngine } from '../../src/engine/cpu/hosted-engine.ts';
import { describeConfiguration, describeParts } from './engine-suite.ts';
import { describeRegisters } from './engine-unitaries.ts';

const openWide = (precision: 'f32' | 'f64') => () =>
  openHostedEngine(
    { precision, numThreads: 2, maxQubits: 20 },
    { ...NODE_HOST, narrowStateBytes: 0 },
  );

describeConfiguration('cpu f64 beyond 4 GiB, 2 threads', openWide('f64'), {
  tolerance: 1e-12,
  maxQubits: 20,
  hasGradients: true,
  hasTrajectories: true,
  hasDensityMatrices: true,
});
// Its sources are those of f64: the size of a number alone is another.
describeParts(
  'engine cpu f32 beyond 4 GiB, 2 threads',
  openWide('f32'),
  { tolerance: 1e-5, maxQubits: 20 },
  [describeRegisters],
);
