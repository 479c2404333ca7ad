/** A process that runs one circuit and then has nothing more to do. */

import { readMachine } from '../../src/fleet/cpu-processors.ts';
import { Fleet } from '../../src/fleet/fleet.ts';

const fleet = new Fleet({
  machine: readMachine(),
  engine: 'auto',
  numThreads: 1,
  memoryBytes: 2 ** 24,
  maxShots: 1000,
  maxGates: 1000,
  queueLimit: 10,
  now: () => 0,
});
await fleet.start();
const result = await fleet.get('statevector-sim')?.run(
  {
    id: 'circ_1',
    priority: 'normal',
    keyId: 'key-1',
    tier: 'standard',
    request: { shots: 100, seed: 1 },
    circuit: {
      numQubits: 1,
      numBits: 1,
      operations: [
        { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] },
        { kind: 'measure', qubits: [0], bits: [0] },
      ],
    },
  },
  {},
  new AbortController().signal,
);
process.stdout.write(`${result?.outputs.countsByRow?.[0]?.outcomes.length} outcomes\n`);
