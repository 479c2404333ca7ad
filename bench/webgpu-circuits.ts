/**
 * The common circuits of the GPU benchmarks, and facts about their outcomes at any width. The facts
 * need neither a second engine nor the amplitudes, so that 34 qubits can be verified.
 */
import { existsSync, readFileSync } from 'node:fs';
import {
  type Circuit,
  type GateOperation,
  type Operation,
  withFinalMeasurement,
} from '../src/circuit/circuit.ts';
import { gateNamed } from '../src/circuit/gates.ts';
import type { PauliFactor, PauliSum } from '../src/circuit/observable.ts';
import { parseOpenQasm } from '../src/circuit/openqasm/parse-openqasm.ts';
import type { Counts } from '../src/engine/engine.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { adder, ghz, qaoa, qft, rqc } from './circuits.ts';

const MAKERS = { ghz, qft, qaoa, adder, rqc } as const;

/** One of the common circuits. */
export type Family = keyof typeof MAKERS;

/** All of them, in the order of the tables. */
export const FAMILIES: readonly Family[] = ['ghz', 'qft', 'qaoa', 'adder', 'rqc'];

/**
 * Reads FAMILY_nN.qasm from the folder QCS_BENCH_CIRCUITS if it exists there; otherwise makes the
 * circuit.
 */
export function commonCircuit(family: Family, numQubits: number): Circuit {
  const folder = process.env['QCS_BENCH_CIRCUITS'];
  const file = `${folder}/${family}_n${numQubits}.qasm`;
  if (folder === undefined || !existsSync(file)) return MAKERS[family](numQubits);
  return parseOpenQasm(readFileSync(file, 'utf8'), { maxQubits: 40, maxGates: 1_000_000 });
}

/**
 * The circuit, its inverse, and a measurement of every qubit: every shot is 0 throughout. A barrier
 * keeps the passes from seeing that.
 */
export function mirrored(circuit: Circuit): Circuit {
  const { numQubits, operations } = circuit;
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const barrier: Operation = { kind: 'barrier', qubits };
  const back = operations.map(inverseOf).reverse();
  return withFinalMeasurement({ ...circuit, operations: [...operations, barrier, ...back] });
}

function inverseOf(operation: Operation): Operation {
  if (operation.kind !== 'gate') throw new Error(`a ${operation.kind} has no inverse here`);
  const { gate, angles, targetOrder } = gateNamed(operation.gate).inverse(operation.angles);
  const { targets } = operation;
  return { ...operation, gate, angles, targets: targetOrder?.map((i) => targets[i]!) ?? targets };
}

/**
 * Observable that verifies a QFT of a basis state x: every qubit q ends as (|0⟩ + e^{iθ}|1⟩)/√2
 * with θ = π·(x_q + Σ_{j<q} x_j/2^{q−j}), so Σ cos θ·X + sin θ·Y equals the number of qubits, and
 * less for every other state.
 *
 * @param circuit - X on the qubits of x, then the transform without its swaps, the highest qubit
 *   first.
 */
export function qftWitness({ numQubits, operations }: Circuit): PauliSum {
  const ones = new Set<number>();
  for (const operation of operations) {
    if (operation.kind !== 'gate' || operation.gate !== 'X') break;
    ones.add(operation.targets[0]!);
  }
  return Array.from({ length: numQubits }, (_, qubit) => {
    let turns = 0;
    for (const one of ones) if (one <= qubit) turns += 2 ** (one - qubit);
    const theta = Math.PI * turns;
    const factor = (pauli: PauliFactor['pauli']) => [{ pauli, qubit }];
    return [
      { coefficient: Math.cos(theta), factors: factor('X') },
      { coefficient: Math.sin(theta), factors: factor('Y') },
    ];
  }).flat();
}

/**
 * Describes a wrong outcome of a common circuit; undefined if all are right.
 *
 * GHZ: all qubits alike, both outcomes within six standard deviations of one half. Adder: b holds a
 * + b of every a, with the carry. The other circuits have no outcomes that can be recognised as
 * wrong.
 */
export function wrongOutcome(family: Family, circuit: Circuit, counts: Counts): string | undefined {
  if (family !== 'ghz' && family !== 'adder') return undefined;
  const total = counts.occurrences.reduce((sum, count) => sum + count, 0);
  let numZero = 0;
  for (const [i, count] of counts.occurrences.entries()) {
    const words = counts.outcomes.subarray(i * counts.wordsPerOutcome);
    const bits = Array.from(
      { length: counts.numBits },
      (_, bit) => (words[bit >> 5]! >>> (bit & 31)) & 1,
    );
    if (bits[0] === 0) numZero += count;
    const isRight =
      family === 'ghz' ? bits.every((bit) => bit === bits[0]) : isSum(bits, firstFlips(circuit));
    if (!isRight) return `${family} ${circuit.numQubits}: the outcome ${bits.reverse().join('')}`;
  }
  if (family === 'ghz' && Math.abs(numZero - total / 2) > 3 * Math.sqrt(total)) {
    return `ghz ${circuit.numQubits}: ${numZero} of ${total} shots are 0`;
  }
  return undefined;
}

/** Qubits that an X sets before anything is added. */
function firstFlips({ operations }: Circuit): ReadonlySet<number> {
  const flips = new Set<number>();
  for (const { kind, ...operation } of operations as readonly GateOperation[]) {
    if (operation.controls.length > 0) break;
    if (operation.gate === 'X') flips.add(operation.targets[0]!);
  }
  return flips;
}

/** Whether an outcome of the adder still holds a, and holds a + b in place of b. */
function isSum(bits: readonly number[], flips: ReadonlySet<number>): boolean {
  const numBits = Math.floor((bits.length - 2) / 2);
  let carry = 0;
  for (let i = 0; i < numBits; i++) {
    const sum = (flips.has(2 * i + 1) ? 1 : 0) + bits[2 * i + 2]! + carry;
    if (bits[2 * i + 1] !== (sum & 1)) return false;
    carry = sum >> 1;
  }
  return bits[0] === 0 && bits[2 * numBits + 1] === carry;
}

/** The norm, every Z, and random strings of up to four Paulis, for comparing two engines by. */
export function comparedObservables(numQubits: number): readonly PauliSum[] {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const strings = Array.from({ length: 16 }, (_, i) => {
    const weight = 1 + (i % 4);
    const chosen = new Set<number>();
    for (let draw = 0; chosen.size < Math.min(weight, numQubits); draw++) {
      chosen.add(Math.floor(uniformDraw(31, i, draw, 0) * numQubits));
    }
    return [...chosen].map((qubit, k): PauliFactor => {
      const pauli = (['X', 'Y', 'Z'] as const)[Math.floor(3 * uniformDraw(31, i, 99, k))]!;
      return { pauli, qubit };
    });
  });
  const factors: readonly (readonly PauliFactor[])[] = [
    [],
    ...qubits.map((qubit) => [{ pauli: 'Z' as const, qubit }]),
    ...strings,
  ];
  return factors.map((product) => [{ coefficient: 1, factors: product }]);
}
