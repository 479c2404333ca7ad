/** Snapshots by methods that hold no state, against the density matrix before each of them. */
import { expect } from 'vitest';
import { type DynamicOperation, savesOf } from '../../../src/circuit/circuit.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import { compiledByMethod } from '../../../src/fleet/workers/prepared-circuits.ts';
import { randomCliffordCircuit } from '../../support/clifford-circuits.ts';
import { NEVER } from '../../support/engine-runs.ts';
import { exactRun } from '../../support/noise-oracle.ts';
import { prefixesOf, withSaves, worstOfSave } from '../../support/random-saves.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 8 });

const METHODS = [
  ['stabilizer', ['expectation', 'probabilities']],
  ['pauli_propagation', ['expectation']],
] as const;

for (const [method, kinds] of METHODS) {
  testSeeds(
    `${method} with measurements, resets and noise between its snapshots`,
    seeds(10),
    async (seed) => {
      const stream = new RandomStream(9700 + seed);
      const numQubits = 1 + stream.below(4);
      const parts = { readings: true, noise: true };
      const circuit = randomCliffordCircuit(stream, numQubits, 12, parts);
      // A measurement right before a snapshot must not be put off until after it.
      const last: DynamicOperation = { kind: 'measure', qubits: [0], bits: [0] };
      const operations = [
        ...withSaves([...circuit.operations, last], stream, numQubits, kinds),
        ...withSaves([], stream, numQubits, kinds),
      ];
      const saving = { ...circuit, operations };
      const figures = { bytes: 0, ms: 0, msPerShot: 0 };
      const { prepare } = compiledByMethod(engine, saving, { method, figures }, false);
      await using executable = await prepare();
      const { saved } = await executable.run({ shots: 0, seed: 1 }, NEVER);
      for (const [i, prefix] of prefixesOf(saving).entries()) {
        const worst = worstOfSave(savesOf(saving)[i]!, saved![i]!, exactRun(prefix).density);
        expect(worst, `snapshot ${i}`).toBeLessThan(1e-10);
      }
    },
  );
}
