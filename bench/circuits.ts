/**
 * The circuits of the benchmark tables. Random choices use a fixed seed. All circuits start in
 * |0…0⟩ and measure nothing.
 */
import type { Circuit, Operation, Qubit } from '../src/circuit/circuit.ts';
import { uniformDraw } from '../src/math/philox.ts';

type Gates = Operation[];

const gate = (
  name: string,
  targets: readonly Qubit[],
  controls: readonly Qubit[] = [],
  angles: readonly number[] = [],
): Operation => ({ kind: 'gate', gate: name, controls, targets, angles });

const circuit = (numQubits: number, operations: readonly Operation[]): Circuit => ({
  numQubits,
  numBits: 0,
  operations,
});

/** Draws in [0, 1), the same in every run. */
function drawsOf(seed: number): () => number {
  let next = 0;
  return () => uniformDraw(seed, next++, 0, 0);
}

const range = (length: number) => Array.from({ length }, (_, i) => i);

/** H, then a chain of CX. */
export function ghz(numQubits: number): Circuit {
  const chain = range(numQubits - 1).map((q) => gate('CX', [q + 1], [q]));
  return circuit(numQubits, [gate('H', [0]), ...chain]);
}

/** All n(n − 1)/2 phases, no final swaps, on a basis state with every third bit set. */
export function qft(numQubits: number): Circuit {
  const operations: Gates = range(numQubits).flatMap((q) => (q % 3 === 0 ? [gate('X', [q])] : []));
  for (let i = numQubits - 1; i >= 0; i--) {
    operations.push(gate('H', [i]));
    for (let j = i - 1; j >= 0; j--)
      operations.push(gate('CP', [i], [j], [Math.PI / 2 ** (i - j)]));
  }
  return circuit(numQubits, operations);
}

/** H, then 20 layers of a random √X, √Y, √W or T on each qubit and brickwork CZ on a line. */
export function rqc(numQubits: number, layers = 20): Circuit {
  const draw = drawsOf(20);
  const { PI } = Math;
  const operations = range(numQubits).map((q) => gate('H', [q]));
  const singles: readonly ((q: Qubit) => Operation)[] = [
    (q) => gate('SX', [q]),
    (q) => gate('RY', [q], [], [PI / 2]),
    (q) => gate('U', [q], [], [PI / 2, -PI / 4, PI / 4]),
    (q) => gate('T', [q]),
  ];
  for (let layer = 0; layer < layers; layer++) {
    for (const q of range(numQubits)) operations.push(singles[Math.floor(4 * draw())]!(q));
    for (let q = layer % 2; q + 1 < numQubits; q += 2) operations.push(gate('CZ', [q + 1], [q]));
  }
  return circuit(numQubits, operations);
}

/** p rounds of weighted RZZ on edges, and RX. */
function qaoaOn(
  numQubits: number,
  edges: readonly (readonly [Qubit, Qubit])[],
  rounds: number,
  draw: () => number,
): Circuit {
  const operations = range(numQubits).map((q) => gate('H', [q]));
  const weights = edges.map(() => 0.2 + draw());
  for (let round = 0; round < rounds; round++) {
    for (const [e, edge] of edges.entries()) {
      operations.push(gate('RZZ', edge, [], [weights[e]! * (0.3 + 0.1 * round)]));
    }
    for (const q of range(numQubits)) operations.push(gate('RX', [q], [], [0.9 - 0.1 * round]));
  }
  return circuit(numQubits, operations);
}

/** p = 4 on a ring with n/2 random chords. */
export function qaoa(numQubits: number): Circuit {
  const draw = drawsOf(21);
  const ring = range(numQubits).map((q) => [q, (q + 1) % numQubits] as const);
  const known = new Set(ring.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`));
  const chords: [Qubit, Qubit][] = [];
  while (chords.length < numQubits / 2) {
    const a = Math.floor(draw() * numQubits);
    const b = Math.floor(draw() * numQubits);
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    if (a === b || known.has(key)) continue;
    known.add(key);
    chords.push([a, b]);
  }
  return qaoaOn(numQubits, [...ring, ...chords], 4, draw);
}

/** p = 1 on a random 3-regular graph: three stubs a qubit, paired anew until the graph is simple. */
export function qaoaRegular(numQubits: number): Circuit {
  const draw = drawsOf(22);
  for (;;) {
    const stubs = range(3 * numQubits).map((i) => Math.floor(i / 3));
    for (let i = stubs.length - 1; i > 0; i--) {
      const j = Math.floor(draw() * (i + 1));
      [stubs[i], stubs[j]] = [stubs[j]!, stubs[i]!];
    }
    const edges = range(stubs.length / 2).map((e) => [stubs[2 * e]!, stubs[2 * e + 1]!] as const);
    const keys = new Set(edges.map(([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`));
    const isSimple = keys.size === edges.length && edges.every(([a, b]) => a !== b);
    if (isSimple) return qaoaOn(numQubits, edges, 1, draw);
  }
}

/** A Toffoli in 15 gates of one and two qubits. */
function toffoli(a: Qubit, b: Qubit, target: Qubit): Gates {
  const cx = (control: Qubit, on: Qubit) => gate('CX', [on], [control]);
  return [
    gate('H', [target]),
    cx(b, target),
    gate('TDG', [target]),
    cx(a, target),
    gate('T', [target]),
    cx(b, target),
    gate('TDG', [target]),
    cx(a, target),
    gate('T', [b]),
    gate('T', [target]),
    gate('H', [target]),
    cx(a, b),
    gate('T', [a]),
    gate('TDG', [b]),
    cx(a, b),
  ];
}

/**
 * Cuccaro's ripple-carry adder of two (n − 2)/2-bit numbers: qubit 0 carries in, then b and a
 * interleaved, the last carries out. Number a is in superposition, b a basis state.
 *
 * @see Cuccaro et al., quant-ph/0410184, figure 4.
 */
export function adder(numQubits: number): Circuit {
  const bits = Math.floor((numQubits - 2) / 2);
  const b = (i: number) => 2 * i + 1;
  const a = (i: number) => 2 * i + 2;
  const carry = (i: number) => (i === 0 ? 0 : a(i - 1));
  const out = 2 * bits + 1;
  const operations: Gates = [];
  for (let i = 0; i < bits; i++) operations.push(gate('H', [a(i)]));
  for (let i = 0; i < bits; i++) if (i % 3 !== 0) operations.push(gate('X', [b(i)]));
  const cx = (control: Qubit, on: Qubit) => operations.push(gate('CX', [on], [control]));
  for (let i = 0; i < bits; i++) {
    cx(a(i), b(i));
    cx(a(i), carry(i));
    operations.push(...toffoli(carry(i), b(i), a(i)));
  }
  cx(a(bits - 1), out);
  for (let i = bits - 1; i >= 0; i--) {
    operations.push(...toffoli(carry(i), b(i), a(i)));
    cx(a(i), carry(i));
    cx(carry(i), b(i));
  }
  return circuit(numQubits, operations);
}

/** Any gates of one and two qubits on any qubits: what compile times are measured on. */
export function randomGates(numQubits: number, numGates: number): Circuit {
  const draw = drawsOf(23);
  const operations = range(numGates).map((): Operation => {
    const q = Math.floor(draw() * numQubits);
    const r = (q + 1 + Math.floor(draw() * (numQubits - 1))) % numQubits;
    const angle = 6 * draw();
    const choice = Math.floor(draw() * 8);
    const singles = ['H', 'T', 'SX'] as const;
    if (choice < 3) return gate(singles[choice]!, [q]);
    if (choice < 5) return gate(choice === 3 ? 'RX' : 'RZ', [q], [], [angle]);
    return choice < 7 ? gate(choice === 5 ? 'CX' : 'CZ', [q], [r]) : gate('CP', [q], [r], [angle]);
  });
  return circuit(numQubits, operations);
}
