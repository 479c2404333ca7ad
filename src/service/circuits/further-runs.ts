/**
 * Runs that a circuit needs beside its own, for results that a program requests: a gradient, and measurements of
 * observables in their own bases. They are batches of one circuit each.
 */
import {
  type DynamicCircuit,
  type Operation,
  type Qubit,
  withoutMeasurements,
} from '../../circuit/circuit.ts';
import type { PlacedFactor, PlacedTerm, ProgramResult } from '../../circuit/openqasm/results.ts';
import { anglesOf } from '../../compiler/shape.ts';
import type { CircuitResult, CircuitRun } from '../../fleet/processor.ts';
import { countsOfRow } from '../../fleet/run-outputs.ts';
import type { RunMethod } from '../../fleet/schedule/scheduled-run.ts';
import { adjoint } from '../../math/complex-matrix.ts';
import { hermitianEigenvectors } from '../../math/hermitian-eigenvectors.ts';
import { addToSeed, uniformDraw } from '../../math/philox.ts';
import type { CheckedCircuit } from './check-circuit.ts';
import { methodRequestOf } from './check-method.ts';
import { drawnShotOrder } from './outcome-labels.ts';

/** Numbers of the further runs. */
export interface FurtherNumbers {
  /** For each sampled observable, in the order of the program, the value of each shot. */
  readonly samples: readonly Float64Array[];
  readonly gradient?: {
    readonly expectation: number;
    readonly gradient: Readonly<Record<string, number>>;
  };
  /** Rows of the unitary matrix, interleaved re, im. */
  readonly unitary?: Float64Array;
}

/** Circuit and request of a further run. */
export type FurtherRun = Pick<CircuitRun, 'circuit' | 'request'>;

/** Runs one circuit as a batch; `name` tells the runs of one circuit apart. */
type RunFurther = (asked: FurtherRun, name: string) => Promise<CircuitResult>;

/** Numbers of a circuit that needs no further runs. */
export const NO_NUMBERS: FurtherNumbers = { samples: [] };

/** The further runs of a circuit. */
interface FurtherRuns {
  readonly unitary?: FurtherRun;
  readonly sampled: readonly (FurtherRun & { readonly group: SampledTogether })[];
  readonly gradient?: FurtherRun;
}

/** Further runs that the results of a circuit need. */
export function furtherRunsOf(
  checked: CheckedCircuit,
  { shots, seed }: { readonly shots: number; readonly seed: number },
): FurtherRuns {
  const { circuit, results, gradient, outputs } = checked;
  const observables = results.flatMap((result: ProgramResult) =>
    result.type === 'sample' ? result.observables : [],
  );
  const sampled = sampledTogether(circuit, observables).map((group, g) => ({
    group,
    circuit: group.circuit,
    request: {
      numCircuits: 1,
      angles: Float64Array.from(anglesOf(group.circuit)),
      shots,
      // Measurements in other bases draw numbers of their own.
      seeds: [addToSeed(seed, g)],
      countsOfSingles: true,
      ...methodRequestOf(checked),
    },
  }));
  return {
    ...(outputs.includes('unitary') && { unitary: runOfUnitary(circuit) }),
    sampled,
    ...(gradient !== undefined && {
      gradient: {
        circuit: withoutMeasurements(circuit),
        request: {
          numCircuits: 1,
          angles: gradient.row,
          formulas: gradient.formulas,
          observables: [gradient.observable],
          gradients: true,
        },
      },
    }),
  };
}

/** @throws what `run` throws. */
export async function runFurther(
  checked: CheckedCircuit,
  drawn: { readonly shots: number; readonly seed: number },
  run: RunFurther,
): Promise<FurtherNumbers> {
  const { circuit, gradient, method } = checked;
  const runs = furtherRunsOf(checked, drawn);
  const unitary =
    runs.unitary && unitaryIn(circuit.numQubits, (await run(runs.unitary, 'unitary')).outputs);
  const samples: Float64Array[] = [];
  for (const [g, { group, ...asked }] of runs.sampled.entries()) {
    const { outputs } = await run(asked, `sample-${g}`);
    const own = addToSeed(drawn.seed, g);
    const values = group.valuesOf(countsOfRow(outputs, 0, group.circuit.numBits), own, method);
    for (const [i, index] of group.members.entries()) samples[index] = values[i]!;
  }
  const numbers = { samples, ...(unitary !== undefined && { unitary }) };
  if (gradient === undefined || runs.gradient === undefined) return numbers;
  const { outputs } = await run(runs.gradient, 'gradient');
  const byInput = gradient.inputs.map(
    ({ name, index }) => [name, outputs.gradients![index]!] as const,
  );
  const [expectation] = outputs.expectations!;
  return {
    ...numbers,
    gradient: { expectation: expectation!, gradient: Object.fromEntries(byInput) },
  };
}

/**
 * Run for the unitary matrix of a circuit: its gates on one half of Bell pairs leave the columns, each beside its number.
 *
 * @param circuit - Without noise, its measurements last.
 */
function runOfUnitary(circuit: DynamicCircuit): FurtherRun {
  const { numQubits, operations } = withoutMeasurements(circuit);
  const d = 2 ** numQubits;
  const qubits = Array.from({ length: 2 * numQubits }, (_, qubit) => qubit);
  const amplitudes = new Float64Array(2 * d * d);
  for (let x = 0; x < d; x++) amplitudes[2 * x * (d + 1)] = 1 / Math.sqrt(d);
  const pairs = { kind: 'initialize', qubits, state: { kind: 'pure', amplitudes } } as const;
  return {
    circuit: { numQubits: 2 * numQubits, numBits: 0, operations: [pairs, ...operations] },
    request: { shots: 0, seed: 0, statevector: true },
  };
}

/** Rows of the matrix in the state that the run left. */
function unitaryIn(numQubits: number, { statevectors }: CircuitResult['outputs']): Float64Array {
  const d = 2 ** numQubits;
  const columns = statevectors!;
  const rows = new Float64Array(columns.length);
  for (let column = 0; column < d; column++) {
    for (let row = 0; row < d; row++) {
      const [to, from] = [2 * (row * d + column), 2 * (column * d + row)];
      rows[to] = Math.sqrt(d) * columns[from]!;
      rows[to + 1] = Math.sqrt(d) * columns[from + 1]!;
    }
  }
  return rows;
}

// Samples of observables: a value for each shot, an eigenvalue of the observable.
//
// An observable is measured by a circuit of its own: the program with a change of basis, which has no noise, before its
// final measurement. Observables that agree on the basis of every qubit on which several of them act share a circuit,
// and so their shots.

/** Distinct outcomes of a circuit that measures qubit i into bit i, ascending, and how often each occurred. */
interface OutcomeCounts {
  /** 32-bit words of an outcome; bit 0 of word 0 is qubit 0. */
  readonly wordsPerOutcome: number;
  readonly outcomes: ArrayLike<number>;
  readonly occurrences: ArrayLike<number>;
}

/** Observables that are measured together. */
export interface SampledTogether {
  /** Index of each observable in the list that was grouped. */
  readonly members: readonly number[];
  readonly circuit: DynamicCircuit;
  /**
   * Values of the members, one array each, with the value of each shot in order.
   *
   * @param counts - Outcomes of `circuit`.
   */
  valuesOf(counts: OutcomeCounts, seed: number, method: RunMethod): readonly Float64Array[];
}

/**
 * Groups observables that can be measured together.
 *
 * @param circuit - Measures all qubits at its end, qubit i into bit i, and measures nothing before.
 */
function sampledTogether(
  circuit: DynamicCircuit,
  observables: readonly PlacedTerm[],
): readonly SampledTogether[] {
  const groups: OpenGroup[] = [];
  for (const [index, observable] of observables.entries()) {
    const measured = observable.factors.map(measuredFactor);
    let group = groups.find((other) => other.fits(measured));
    if (group === undefined) {
      group = new OpenGroup();
      groups.push(group);
    }
    group.add(index, observable.coefficient, measured);
  }
  return groups.map((group) => group.closed(circuit));
}

/** Change of basis after which an outcome of the factor's qubits tells its eigenvalue. */
interface MeasuredFactor {
  readonly qubits: readonly Qubit[];
  /** The same for the same basis only; undefined for the identity, which fits any. */
  readonly basis: string | undefined;
  readonly turns: readonly Operation[];
  /** By outcome; bit i of it is `qubits[i]`. */
  readonly eigenvalues: ArrayLike<number>;
}

const SIGNS = [1, -1];

function measuredFactor({ letter, qubits, matrix }: PlacedFactor): MeasuredFactor {
  if (matrix !== undefined) {
    const { values, vectors } = hermitianEigenvectors(matrix);
    const turn: Operation = {
      kind: 'unitary',
      controls: [],
      targets: qubits,
      matrix: adjoint(vectors),
    };
    return { qubits, basis: `${qubits} ${matrix}`, turns: [turn], eigenvalues: values };
  }
  const gate = (name: string, ...angles: readonly number[]): Operation => {
    return { kind: 'gate', gate: name, controls: [], targets: qubits, angles };
  };
  switch (letter) {
    case 'x':
      return { qubits, basis: letter, turns: [gate('H')], eigenvalues: SIGNS };
    case 'y':
      return { qubits, basis: letter, turns: [gate('SDG'), gate('H')], eigenvalues: SIGNS };
    case 'h':
      return { qubits, basis: letter, turns: [gate('RY', -Math.PI / 4)], eigenvalues: SIGNS };
    case 'z':
      return { qubits, basis: letter, turns: [], eigenvalues: SIGNS };
    case 'i':
      return { qubits, basis: undefined, turns: [], eigenvalues: [1, 1] };
    case 'hermitian':
      throw new Error('unreachable: a Hermitian factor without a matrix');
  }
}

interface Member {
  readonly index: number;
  readonly coefficient: number;
  readonly factors: readonly MeasuredFactor[];
}

/** A group that observables are added to. */
class OpenGroup {
  readonly #basisOf = new Map<Qubit, string>();
  readonly #turns: Operation[] = [];
  readonly #members: Member[] = [];

  fits(factors: readonly MeasuredFactor[]): boolean {
    return factors.every(({ qubits, basis }) =>
      qubits.every((qubit) => {
        const known = this.#basisOf.get(qubit);
        return basis === undefined || known === undefined || known === basis;
      }),
    );
  }

  add(index: number, coefficient: number, factors: readonly MeasuredFactor[]): void {
    for (const { qubits, basis, turns } of factors) {
      if (basis === undefined || this.#basisOf.has(qubits[0]!)) continue;
      this.#turns.push(...turns);
      for (const qubit of qubits) this.#basisOf.set(qubit, basis);
    }
    this.#members.push({ index, coefficient, factors });
  }

  closed(circuit: DynamicCircuit): SampledTogether {
    const { operations } = circuit;
    const measured = operations.findIndex(({ kind }) => kind === 'measure');
    return {
      members: this.#members.map(({ index }) => index),
      circuit: { ...circuit, operations: operations.toSpliced(measured, 0, ...this.#turns) },
      valuesOf: (counts, seed, method) => {
        const outcomes =
          method === 'statevector'
            ? outcomesOfShots(counts, seed)
            : drawnShotOrder(counts.occurrences, seed);
        return this.#members.map((member) => {
          const byOutcome = Float64Array.from(counts.occurrences, (_, i) =>
            valueForOutcome(member, counts, i),
          );
          return Float64Array.from(outcomes, (i) => byOutcome[i]!);
        });
      },
    };
  }
}

/** Value of an observable for the i-th outcome. */
function valueForOutcome(
  { coefficient, factors }: Member,
  { outcomes, wordsPerOutcome }: OutcomeCounts,
  i: number,
): number {
  let value = coefficient;
  for (const { qubits, eigenvalues } of factors) {
    let index = 0;
    for (const [bit, qubit] of qubits.entries()) {
      const word = outcomes[i * wordsPerOutcome + (qubit >>> 5)]!;
      index |= ((word >>> (qubit & 31)) & 1) << bit;
    }
    value *= eigenvalues[index]!;
  }
  return value;
}

/**
 * Index of each shot's outcome in the order of the shots, for shots drawn from one state vector.
 *
 * Counts do not tell the order, but the draws do: a shot's draw picks the basis state whose cumulative probability
 * first exceeds it, so that outcomes ascend with draws (`engine/engine.ts`).
 */
function outcomesOfShots({ occurrences }: OutcomeCounts, seed: number): Uint32Array {
  const ends: number[] = [];
  let shots = 0;
  for (let i = 0; i < occurrences.length; i++) {
    shots += occurrences[i]!;
    ends.push(shots);
  }
  const draws = Float64Array.from({ length: shots }, (_, shot) => uniformDraw(seed, shot, 0, 0));
  const order = Uint32Array.from(draws.keys()).sort((a, b) => draws[a]! - draws[b]!);
  const outcomeOf = new Uint32Array(shots);
  let outcome = 0;
  for (const [rank, shot] of order.entries()) {
    while (rank >= ends[outcome]!) outcome++;
    outcomeOf[shot] = outcome;
  }
  return outcomeOf;
}
