/**
 * `npm run bench matrix-products`: matrix product states of 100 qubits, 1,000 shots, beside Qiskit Aer's with the same
 * limits. AER_PYTHON names an interpreter that can import `qiskit_aer`; without it only the engine is measured.
 *
 * Before it is timed, each circuit's expectation values are compared with the peer's. The engine's time is that of
 * compiling and running; the peer's is the whole call, and beside it the time that the simulator itself states.
 */
import type { Circuit, GateOperation } from '../src/circuit/circuit.ts';
import type { PauliSum } from '../src/circuit/observable.ts';
import { compileMatrixProduct } from '../src/compiler/chain/compile-matrix-product.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { RunRequest, RunResult } from '../src/engine/engine.ts';
import { type Measurement, median, report } from './harness.ts';
import { pythonPeer } from './peers/python-peer.ts';

const NUM_QUBITS = 100;
const SHOTS = 1000;
const ROUNDS = 7;
/** Limits of the engine and of the peer. */
export const LIMITS = { maxBondDimension: 256, truncationThreshold: 1e-12 };
/** How many times faster than the peer the engine is to be. */
const GOAL = 2;

const QUBITS = Array.from({ length: NUM_QUBITS }, (_, q) => q);
const NEVER = new AbortController().signal;

function gate(
  name: string,
  controls: readonly number[],
  targets: readonly number[],
  ...angles: readonly number[]
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}

function ghz(): readonly GateOperation[] {
  return [gate('H', [], [0]), ...QUBITS.slice(1).map((q) => gate('CX', [q - 1], [q]))];
}

/** One layer of QAOA for MaxCut on a ring. */
function qaoaRing(): readonly GateOperation[] {
  return [
    ...QUBITS.map((q) => gate('H', [], [q])),
    ...QUBITS.map((q) => gate('RZZ', [], [q, (q + 1) % NUM_QUBITS], 0.7)),
    ...QUBITS.map((q) => gate('RX', [], [q], 0.6)),
  ];
}

/** A quench of the transverse-field Ising chain of 100 qubits at its critical point, in Trotter steps of 0.1. */
export function isingQuench(numSteps: number): readonly GateOperation[] {
  const bonds = QUBITS.slice(1).map((q) => gate('RZZ', [], [q - 1, q], -0.2));
  const even = bonds.filter((_, i) => i % 2 === 0);
  const odd = bonds.filter((_, i) => i % 2 === 1);
  const fields = QUBITS.map((q) => gate('RX', [], [q], -0.2));
  return Array.from({ length: numSteps }, () => [...even, ...odd, ...fields]).flat();
}

const CIRCUITS: Readonly<Record<string, readonly GateOperation[]>> = {
  'GHZ, 100 qubits': ghz(),
  'QAOA ring, p = 1, 100 qubits': qaoaRing(),
  'Ising quench, 100 qubits, 10 steps': isingQuench(10),
  'Ising quench, 100 qubits, 20 steps': isingQuench(20),
  'Ising quench, 100 qubits, 30 steps': isingQuench(30),
};

/** Strings near the middle and across the chain. */
const OBSERVABLES: readonly PauliSum[] = [
  [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 50 }] }],
  [{ coefficient: 1, factors: [{ pauli: 'X', qubit: 50 }] }],
  [
    {
      coefficient: 1,
      factors: [
        { pauli: 'Z', qubit: 49 },
        { pauli: 'Z', qubit: 50 },
      ],
    },
  ],
  [
    {
      coefficient: 1,
      factors: [
        { pauli: 'Y', qubit: 0 },
        { pauli: 'Y', qubit: 99 },
      ],
    },
  ],
];

/** Measures the engine, and the peer if there is one, in turns. */
export async function benchMatrixProducts(): Promise<void> {
  const python = process.env['AER_PYTHON'];
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 });
  await using peer = python === undefined ? undefined : await pythonPeer(python, 'mps-peer.py');
  const measurements: Measurement[] = [];

  const run = async (circuit: Circuit, ask: Partial<RunRequest>): Promise<RunResult> => {
    if (engine.prepare.matrix_product_state === undefined) throw new Error('unreachable');
    const program = compileMatrixProduct(circuit, LIMITS);
    await using executable = await engine.prepare.matrix_product_state(program);
    return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
  };

  for (const [name, gates] of Object.entries(CIRCUITS)) {
    const measure = { kind: 'measure', qubits: QUBITS, bits: QUBITS } as const;
    const circuit: Circuit = {
      numQubits: NUM_QUBITS,
      numBits: NUM_QUBITS,
      operations: [...gates, measure],
    };
    const checked = await run(circuit, { observables: OBSERVABLES });
    if (peer !== undefined) {
      const written = gates.map(({ gate, controls, targets, angles }) => [
        gate.toLowerCase(),
        [...controls, ...targets],
        ...angles,
      ]);
      const { maxBondDimension: bond, truncationThreshold: threshold } = LIMITS;
      await peer.ask({ qubits: NUM_QUBITS, gates: written, bond, threshold });
      const { expectations } = await peer.ask({
        expectations: OBSERVABLES.map((sum) =>
          sum.map(({ factors }) => [
            factors.map(({ pauli }) => pauli).join(''),
            factors.map(({ qubit }) => qubit),
          ]),
        ),
      });
      for (const [i, value] of checked.expectations!.entries()) {
        const difference = Math.abs(value - expectations[i]);
        if (!(difference < 1e-4)) throw new Error(`${name}: ${value} and ${expectations[i]}`);
      }
    }
    const own: number[] = [];
    const whole: number[] = [];
    const inside: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now();
      await run(circuit, { shots: SHOTS, seed: round });
      own.push(performance.now() - started);
      if (peer === undefined) continue;
      const answer = await peer.ask({ counts: SHOTS, seed: round });
      whole.push(answer.ms);
      inside.push(answer.own_ms);
    }
    const spread = [Math.min(...own), Math.max(...own)] as const;
    const goal = peer === undefined ? {} : { goal: median(whole) / GOAL };
    measurements.push({ name, value: median(own), unit: 'ms', spread, ...goal });
    measurements.push({ name: `${name}: largest bond`, value: checked.largestBond!, unit: '' });
    if (peer === undefined) continue;
    const peerSpread = [Math.min(...whole), Math.max(...whole)] as const;
    measurements.push({
      name: `${name}: ${peer.name}, whole call`,
      value: median(whole),
      unit: 'ms',
      spread: peerSpread,
    });
    measurements.push({
      name: `${name}: ${peer.name}, its own time`,
      value: median(inside),
      unit: 'ms',
    });
  }
  await engine.close();
  report('matrix-products', measurements);
}
