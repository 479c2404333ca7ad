/**
 * The oracle of noise: the exact density matrix of a small circuit, and the exact distribution of its outcomes.
 *
 * A run is a mixture: for each value of the classical register, the density matrix of the shots that have it, with
 * their probability as its trace. Every operation is a sum of KρK† with full matrices K. The gate table and the
 * evaluation of classical assignments are shared with the engines; both have tests of their own.
 */
import {
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  numRegisterBits,
  type PreparedState,
  type Qubit,
} from '../../src/circuit/circuit.ts';
import { bitsToWrite } from '../../src/circuit/classical-evaluation.ts';
import { type Channel, simulated } from '../../src/circuit/noise/channel.ts';
import {
  type DensityMatrix,
  embedded,
  scaledMatrix,
  sumOfDensities,
  throughKraus,
  traceOf,
  zeroDensity,
} from './density-matrix.ts';
import {
  type Complex,
  circuitUnitary,
  type Entries,
  type Matrix,
  operationEntries,
} from './kronecker-oracle.ts';
import { gate } from './random-circuits.ts';

/** Result of a circuit. */
export interface ExactRun {
  /** Probability of each outcome, its highest bit first. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The density matrix at the end, averaged over all outcomes. */
  readonly density: DensityMatrix;
}

/** By the bits of the register, bit 0 first. */
type Mixture = ReadonlyMap<string, DensityMatrix>;

/** Shots of a loop that are less likely are not followed: some loops may go on for ever. */
const NEGLIGIBLE_WEIGHT = 1e-13;

/** Suites ask about one circuit for several engines and outputs. */
const RUNS = new WeakMap<DynamicCircuit, ExactRun>();
const BEFORE_READOUT = new WeakMap<DynamicCircuit, DynamicCircuit>();

/** Runs a circuit of up to five qubits. The result is shared by all who ask about the same circuit. */
export function exactRun(circuit: DynamicCircuit): ExactRun {
  const known = RUNS.get(circuit) ?? computedRun(circuit);
  RUNS.set(circuit, known);
  return known;
}

function computedRun(circuit: DynamicCircuit): ExactRun {
  const { numQubits, numBits, operations } = circuit;
  const unwritten = '0'.repeat(numRegisterBits(circuit));
  const mixture = after(operations, new Map([[unwritten, zeroDensity(numQubits)]]), numQubits);
  const outcomes = new Map<string, number>();
  for (const [register, rho] of mixture) {
    const label = [...register.slice(0, numBits)].reverse().join('');
    outcomes.set(label, (outcomes.get(label) ?? 0) + traceOf(rho));
  }
  return { outcomes, density: [...mixture.values()].reduce(sumOfDensities) };
}

/** The circuit without the measurements that end it, and without what happens to their bits. */
export function withoutReadout(circuit: DynamicCircuit): DynamicCircuit {
  const known = BEFORE_READOUT.get(circuit) ?? cutBeforeReadout(circuit);
  BEFORE_READOUT.set(circuit, known);
  return known;
}

function cutBeforeReadout(circuit: DynamicCircuit): DynamicCircuit {
  const last = circuit.operations.findLastIndex((operation) => {
    if (operation.kind === 'measure') return operation.condition !== undefined;
    return !['misread', 'assign', 'barrier'].includes(operation.kind);
  });
  return { ...circuit, operations: circuit.operations.slice(0, last + 1) };
}

/** The density matrix before the measurements that end a circuit. */
export function densityBeforeReadout(circuit: DynamicCircuit): DensityMatrix {
  return exactRun(withoutReadout(circuit)).density;
}

/** Kraus matrices of a channel; Paulis are Kronecker products. */
export function krausOf(given: Channel): readonly Matrix[] {
  const channel = simulated(given);
  if (channel.kind === 'kraus') return channel.matrices.map(rowsOf);
  const { numQubits, errors } = channel;
  const rest = 1 - errors.reduce((sum, { probability }) => sum + probability, 0);
  return [{ flips: 0, signs: 0, probability: rest }, ...errors].map((error) => {
    const factors = Array.from({ length: numQubits }, (_, qubit) => {
      const letter = ((error.flips >> qubit) & 1) + 2 * ((error.signs >> qubit) & 1);
      return gate(['ID', 'X', 'Z', 'Y'][letter]!, [qubit]);
    });
    const pauli = circuitUnitary({ numQubits, numBits: 0, operations: factors });
    return scaledMatrix(pauli, Math.sqrt(Math.max(0, error.probability)));
  });
}

/** A matrix in rows, from the flat form. */
function rowsOf(flat: ArrayLike<number>): Matrix {
  const d = Math.sqrt(flat.length / 2);
  const rows = Array.from({ length: d }, (_, i) => i);
  return rows.map((i) =>
    rows.map((j): Complex => [flat[2 * (i * d + j)]!, flat[2 * (i * d + j) + 1]!]),
  );
}

function after(operations: readonly DynamicOperation[], start: Mixture, n: number): Mixture {
  return operations.reduce((mixture, operation) => {
    if (operation.kind === 'barrier') return mixture;
    const [acted, untouched] = parted(mixture, operation.condition);
    if (operation.kind !== 'while') return merged(untouched, afterOne(operation, acted, n));
    let [going, done] = [acted, untouched];
    while (weightOf(going) > NEGLIGIBLE_WEIGHT) {
      const [again, ended] = parted(after(operation.body, going, n), operation.condition);
      done = merged(done, ended);
      going = again;
    }
    return done;
  }, start);
}

function densityOf(state: PreparedState): DensityMatrix {
  if (state.kind === 'mixed') return state.entries;
  const d = state.amplitudes.length / 2;
  const [re, im] = [0, 1].map((part) => state.amplitudes.filter((_, i) => i % 2 === part));
  return Float64Array.from({ length: 2 * d * d }, (_, i) => {
    const [row, column] = [Math.floor(i / 2 / d), Math.floor(i / 2) % d];
    return i % 2 === 0
      ? re![row]! * re![column]! + im![row]! * im![column]!
      : im![row]! * re![column]! - re![row]! * im![column]!;
  });
}

type Acting = Exclude<DynamicOperation, { kind: 'barrier' | 'while' }>;

/** After an operation whose condition holds. */
function afterOne(operation: Acting, mixture: Mixture, n: number): Mixture {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return through(mixture, [operationEntries(operation, n)]);
    case 'initialize':
      return new Map([...mixture.keys()].map((register) => [register, densityOf(operation.state)]));
    case 'noise': {
      const { channel, qubits } = operation;
      return through(
        mixture,
        krausOf(channel).map((matrix) => embedded(matrix, qubits, n)),
      );
    }
    case 'save':
      return mixture;
    case 'track':
    case 'repeat':
      throw new Error(`This oracle has no ${operation.kind}.`);
    case 'reset':
      return operation.qubits.reduce<Mixture>((reset, qubit) => {
        return through(reset, [unit(0, 0, qubit, n), unit(0, 1, qubit, n)]);
      }, mixture);
    case 'measure':
      return operation.qubits.reduce<Mixture>((read, qubit, i) => {
        const branch = (value: number) =>
          rewritten(through(read, [unit(value, value, qubit, n)]), (register) =>
            withBit(register, operation.bits[i]!, value),
          );
        return merged(branch(0), branch(1));
      }, mixture);
    case 'misread':
      return operation.bits.reduce<Mixture>((read, bit) => {
        return misread(read, bit, [operation.p1Given0, operation.p0Given1]);
      }, mixture);
    case 'assign':
      return rewritten(mixture, (register) => {
        const { bits, value } = operation;
        const written = bitsToWrite(value, bits.length, (bit) => register[bit] === '1');
        return bits.reduce((all, bit, i) => withBit(all, bit, Number(written[i])), register);
      });
  }
}

/** The part of a mixture where a condition holds, and the rest. */
function parted(mixture: Mixture, condition: Condition | undefined): readonly [Mixture, Mixture] {
  const [held, rest] = [new Map<string, DensityMatrix>(), new Map<string, DensityMatrix>()];
  for (const [register, rho] of mixture) {
    const holds = condition?.bits.every((bit, i) => {
      return Number(register[bit]) === Math.floor(condition.value / 2 ** i) % 2;
    });
    (holds === false ? rest : held).set(register, rho);
  }
  return [held, rest];
}

function merged(a: Mixture, b: Mixture): Mixture {
  const out = new Map(a);
  for (const [register, rho] of b) {
    const other = out.get(register);
    out.set(register, other === undefined ? rho : sumOfDensities(other, rho));
  }
  return out;
}

/** Every density matrix through Kraus matrices; those that vanish are left out. */
function through(mixture: Mixture, kraus: readonly Entries[]): Mixture {
  const sent = [...mixture].map(([register, rho]) => [register, throughKraus(rho, kraus)] as const);
  return new Map(sent.filter(([, rho]) => traceOf(rho) > 0));
}

/** Other values of the register; shots that come to the same one are taken together. */
function rewritten(mixture: Mixture, rewrite: (register: string) => string): Mixture {
  return [...mixture].reduce<Mixture>((out, [register, rho]) => {
    return merged(out, new Map([[rewrite(register), rho]]));
  }, new Map());
}

/** A bit that flips with the first probability where it is 0, and with the second where it is 1. */
function misread(mixture: Mixture, bit: number, chances: readonly [number, number]): Mixture {
  const parts = (flips: boolean) =>
    new Map(
      [...mixture].flatMap(([register, rho]) => {
        const chance = chances[register[bit] === '1' ? 1 : 0];
        const share = flips ? chance : 1 - chance;
        return share === 0 ? [] : [[register, rho.map((part) => share * part)] as const];
      }),
    );
  const flipped = rewritten(parts(true), (register) => {
    return withBit(register, bit, register[bit] === '1' ? 0 : 1);
  });
  return merged(parts(false), flipped);
}

const withBit = (register: string, bit: number, value: number): string =>
  `${register.slice(0, bit)}${value}${register.slice(bit + 1)}`;

/** |to⟩⟨from| on one qubit. */
function unit(to: number, from: number, qubit: Qubit, n: number): Entries {
  const rows = [0, 1].map((i) => [0, 1].map((j): Complex => [i === to && j === from ? 1 : 0, 0]));
  return embedded(rows, [qubit], n);
}

const weightOf = (mixture: Mixture): number =>
  [...mixture.values()].reduce((sum, rho) => sum + traceOf(rho), 0);
