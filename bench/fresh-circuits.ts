/**
 * The ten families of the benchmark of fresh circuits: the five common ones, and five that have the gates of
 * variational loops, of simulations of physics and of fault-tolerant programs.
 *
 * A call draws the angles that a caller would vary, and leaves the gates as they are: two circuits of one
 * family and width have one shape. Which gates and qubits there are depends on fixed seeds only. `ghz`,
 * `qft`, `rqc`, `adder` and `clifford-t` have nothing to vary.
 */
import type { Circuit, GateOperation, Qubit } from '../src/circuit/circuit.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { adder, ghz, qaoa, qft, rqc } from './circuits.ts';

/** Draws in [0, 1). */
export type Draw = () => number;

/** Draws that depend on the seed alone. */
export function drawsOf(seed: number): Draw {
  let next = 0;
  return () => uniformDraw(seed, next++, 0, 0);
}

type Family = (numQubits: number, draw: Draw) => Circuit;

const gate = (name: string, targets: readonly Qubit[], ...angles: number[]): GateOperation => ({
  kind: 'gate',
  gate: name,
  controls: [],
  targets,
  angles,
});
const cx = (control: Qubit, target: Qubit): GateOperation => ({
  ...gate('CX', [target]),
  controls: [control],
});
const circuit = (numQubits: number, operations: readonly GateOperation[]): Circuit => ({
  numQubits,
  numBits: 0,
  operations,
});
const range = (length: number) => Array.from({ length }, (_, i) => i);
const angle = (draw: Draw) => 2 * Math.PI * draw();

/** The common QAOA circuit with other lengths of its rounds. */
const variedQaoa: Family = (numQubits, draw) => {
  const written = qaoa(numQubits);
  const factor = 0.5 + draw();
  const operations = written.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map((each) => factor * each) }
      : operation,
  );
  return { ...written, operations };
};

/** Qiskit's EfficientSU2: 5 layers of RY and RZ with 4 layers of neighbouring CX between them. */
const efficientSu2: Family = (numQubits, draw) => {
  const REPEATS = 4;
  const qubits = range(numQubits);
  const rotations = () =>
    ['RY', 'RZ'].flatMap((name) => qubits.map((q) => gate(name, [q], angle(draw))));
  const entangled = qubits.slice(1).map((q) => cx(q - 1, q));
  const layers = range(REPEATS).flatMap(() => [...rotations(), ...entangled]);
  return circuit(numQubits, [...layers, ...rotations()]);
};

/** 6 layers of random pairs, each pair with a random SU(4): 8 general one-qubit gates and 3 CX. */
const quantumVolume: Family = (numQubits, draw) => {
  const DEPTH = 6;
  const choice = drawsOf(30);
  const operations: GateOperation[] = [];
  const local = (...qubits: Qubit[]) => {
    for (const q of qubits) {
      operations.push(gate('U', [q], angle(draw) / 2, angle(draw), angle(draw)));
    }
  };
  for (let layer = 0; layer < DEPTH; layer++) {
    const order = shuffled(numQubits, choice);
    for (let i = 0; i + 1 < numQubits; i += 2) {
      const [a = 0, b = 0] = order.slice(i);
      local(a, b);
      for (let repeat = 0; repeat < 3; repeat++) {
        operations.push(cx(a, b));
        local(a, b);
      }
    }
  }
  return circuit(numQubits, operations);
};

/** 20 Trotter steps of a Heisenberg chain with random couplings, from the Néel state. */
const heisenberg: Family = (numQubits, draw) => {
  const STEPS = 20;
  const even = range(numQubits - 1).filter((q) => q % 2 === 0);
  const odd = range(numQubits - 1).filter((q) => q % 2 === 1);
  const couplings = range(numQubits - 1).map(() => range(3).map(() => 0.05 + 0.2 * draw()));
  const step = [...even, ...odd].flatMap((q) =>
    ['RXX', 'RYY', 'RZZ'].map((name, i) => gate(name, [q, q + 1], couplings[q]![i]!)),
  );
  const flips = range(numQubits).flatMap((q) => (q % 2 === 1 ? [gate('X', [q])] : []));
  return circuit(numQubits, [...flips, ...range(STEPS).flatMap(() => step)]);
};

/** 20 random gates a qubit from H, S, T and CX, a third of them CX. */
const cliffordT: Family = (numQubits) => {
  const choice = drawsOf(31);
  const singles = ['H', 'S', 'T', 'H', 'T', 'TDG'] as const;
  const operations = range(20 * numQubits).map(() => {
    const [q = 0, r = 0] = shuffled(numQubits, choice);
    const which = Math.floor(9 * choice());
    return which < 6 ? gate(singles[which]!, [q]) : cx(q, r);
  });
  return circuit(numQubits, operations);
};

/** The 8 Pauli strings of a double excitation in the Jordan-Wigner form, with their signs. */
const EXCITATION = [
  ['XXXY', 1],
  ['XXYX', 1],
  ['XYXX', -1],
  ['YXXX', -1],
  ['YYYX', -1],
  ['YYXY', -1],
  ['YXYY', 1],
  ['XYYY', 1],
] as const;

/**
 * Double excitations as unitary coupled cluster has them: n/4 of them on random qubits, each 8 Pauli
 * evolutions with ladders of CX, from a state in which every second qubit is |1⟩.
 *
 * @see Romero et al., arXiv:1701.02691, section 3.
 */
const coupledCluster: Family = (numQubits, draw) => {
  const choice = drawsOf(32);
  const operations = range(numQubits).flatMap((q) => (q % 2 === 0 ? [gate('X', [q])] : []));
  for (let excitation = 0; 4 * excitation < numQubits; excitation++) {
    const [i = 0, j = 0, k = 0, l = 0] = shuffled(numQubits, choice)
      .slice(0, 4)
      .sort((a, b) => a - b);
    const theta = angle(draw) / 8;
    const between = (from: Qubit, to: Qubit) => range(to - from + 1).map((step) => from + step);
    // Z on the qubits between the first two, and between the last two.
    const chain = [...between(i, j), ...between(k, l)];
    const ladder = chain.slice(1).map((q, at) => cx(chain[at]!, q));
    for (const [paulis, sign] of EXCITATION) {
      const basis = (isBefore: boolean) =>
        [i, j, k, l].map((q, at) =>
          paulis[at] === 'X'
            ? gate('H', [q])
            : gate('RX', [q], isBefore ? Math.PI / 2 : -Math.PI / 2),
        );
      const turn = gate('RZ', [chain.at(-1)!], sign * theta);
      operations.push(...basis(true), ...ladder, turn, ...ladder.toReversed(), ...basis(false));
    }
  }
  return circuit(numQubits, operations);
};

function shuffled(length: number, draw: Draw): Qubit[] {
  const order = range(length);
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(draw() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** The families by name. A circuit has no measurements. */
export const FRESH_FAMILIES = {
  ghz,
  qft,
  rqc: (numQubits) => rqc(numQubits),
  qaoa: variedQaoa,
  adder,
  'efficient-su2': efficientSu2,
  'quantum-volume': quantumVolume,
  heisenberg,
  'clifford-t': cliffordT,
  'coupled-cluster': coupledCluster,
} as const satisfies Readonly<Record<string, Family>>;

/** Name of a family. */
export type FreshFamily = keyof typeof FRESH_FAMILIES;

/** The circuit with its qubits in another order: the same work in a shape that is new. */
export function relabelled(written: Circuit, draw: Draw): Circuit {
  const places = shuffled(written.numQubits, draw);
  const moved = (qubits: readonly Qubit[]) => qubits.map((q) => places[q]!);
  const operations = written.operations.map((operation) => {
    if (operation.kind !== 'gate') throw new Error(`a ${operation.kind} is no gate`);
    return {
      ...operation,
      controls: moved(operation.controls),
      targets: moved(operation.targets),
    };
  });
  return { ...written, operations };
}
