/** The Hamiltonian of water, 1,086 Pauli terms on 14 qubits, against PySCF's energies. */
import { expect, test } from 'vitest';
import { stateBytes } from '../../../../src/engine/cpu/command.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { applyObservable } from '../../../../src/engine/cpu/expectation.ts';
import { gateOperation as gate } from '../../../../src/workloads/algorithms/gate-operation.ts';
import { lowestEnergy } from '../../../../src/workloads/algorithms/hamiltonians/ground-energy.ts';
import { runCircuit } from '../../../support/engine-runs.ts';
import { storeAmplitudes, TestRunner } from '../../../support/stored-states.ts';
import { WATER_ENERGIES, WATER_QUBITS, waterHamiltonian } from '../../../support/water.ts';

test('the Hartree–Fock determinant of water has its energy', async () => {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: WATER_QUBITS });
  // Ten electrons: the lowest five orbitals with each spin.
  const operations = [0, 1, 2, 3, 4, 7, 8, 9, 10, 11].map((qubit) => gate('X', [qubit]));
  const circuit = { numQubits: WATER_QUBITS, numBits: 0, operations };

  const observables = [waterHamiltonian()];
  const { expectations } = await runCircuit(engine, circuit, { observables });

  expect(observables[0]).toHaveLength(1086);
  expect(expectations![0]).toBeCloseTo(WATER_ENERGIES.hartreeFock, 9);
  await engine.close();
});

test('the ground state of water has the energy of full configuration interaction', () => {
  const water = waterHamiltonian();
  const start = new Float64Array(2 * 2 ** WATER_QUBITS);
  start[2 * 0b0011111_0011111] = 1;
  const runner = new TestRunner('f64');
  const state = storeAmplitudes(runner, 'f64', start);
  const imageAt = runner.allocate(stateBytes(state));
  const layout = [...Array(WATER_QUBITS).keys()];
  const stored = new Float64Array(runner.memory, state.at, start.length);
  const image = new Float64Array(runner.memory, imageAt, start.length);

  const energy = lowestEnergy(
    (from, to) => {
      stored.set(from);
      applyObservable(runner, state, water, layout, imageAt);
      to.set(image);
      return from.reduce((sum, x, i) => sum + x * to[i]!, 0);
    },
    amplitudesInGroups(start),
    100,
  );

  expect(energy).toBeCloseTo(WATER_ENERGIES.groundState, 8);
});

/** Amplitudes as the engine stores them: pairs of real parts, then of imaginary parts. */
function amplitudesInGroups(amplitudes: Float64Array): Float64Array {
  const swapped = amplitudes.slice();
  for (let i = 0; i < swapped.length; i += 4) {
    [swapped[i + 1], swapped[i + 2]] = [swapped[i + 2]!, swapped[i + 1]!];
  }
  return swapped;
}
