/** The Hamiltonian of water, 1,086 Pauli terms on 14 qubits, against PySCF's energies. */
import { expect, test } from 'vitest';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { gateOperation as gate } from '../../../../src/workloads/algorithms/gate-operation.ts';
import { runCircuit } from '../../../support/engine-runs.ts';
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
