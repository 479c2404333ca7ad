/**
 * Expectation values from shots: the Pauli strings of some observables in groups that one measurement
 * serves, and the circuits that measure them.
 *
 * Strings belong to one group if, on every qubit on which several of them act, they have the same
 * Pauli (qubit-wise commuting). Every shot of a group's circuit then gives a value of each of its
 * strings.
 *
 * Strings are placed one by one in the first group that they fit, those with the most factors first:
 * they fit the fewest, and those with few factors fit beside them.
 *
 * @see Verteletskyi, Yen, Izmaylov, "Measurement optimization in the variational quantum eigensolver
 *   using a minimum clique cover" (2020).
 */
import type { Circuit, DynamicCircuit, Operation, Qubit } from './circuit.ts';
import { codeOfFactor, type PauliFactor, type PauliSum } from './observable.ts';

/** A Pauli string of a group, and its coefficients in observables. */
interface MeasuredString {
  /** Bits of an outcome whose parity is the string's sign, by word of 32 bits. */
  readonly bits: Uint32Array;
  /** Parallel arrays: numbers of observables, and the string's coefficients in them. */
  readonly observables: readonly number[];
  readonly coefficients: readonly number[];
}

/** Strings that are measured together. */
export interface MeasurementGroup {
  /** A Pauli for each measured qubit, ascending by qubit; qubit i of it is measured into bit i. */
  readonly basis: readonly PauliFactor[];
  readonly strings: readonly MeasuredString[];
}

/** The strings of some observables in groups. */
export interface MeasurementGroups {
  readonly groups: readonly MeasurementGroup[];
  /** For each observable, the coefficient of the identity, which needs no measurement. */
  readonly offsets: readonly number[];
}

const NUM_PAULIS = 3;
/** Codes of factors of one qubit, of which the last is unused. */
const CODES_PER_QUBIT = codeOfFactor({ pauli: 'X', qubit: 1 });

/** A distinct string, before it is in a group. */
interface FoundString {
  readonly factors: readonly PauliFactor[];
  readonly weights: Map<number, number>;
}

/** Groups the strings of observables. Equal strings are one, also those of different observables. */
export function measurementGroups(observables: readonly PauliSum[]): MeasurementGroups {
  const steps = groupingSteps(observables);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Groups the strings of observables, one a step: thousands may take a second. */
export function* groupingSteps(
  observables: readonly PauliSum[],
): Generator<void, MeasurementGroups, undefined> {
  const offsets = observables.map(() => 0);
  const numQubits = numQubitsOf(observables);
  const found = distinctStrings(observables, numQubits, offsets);
  // A stable sort: equally long strings stay in the order of the request.
  found.sort((a, b) => b.factors.length - a.factors.length);
  const open = new OpenGroups(numQubits, found.length);
  for (const string of found) {
    open.add(string);
    yield;
  }
  return { groups: open.groups.map(closedGroup), offsets };
}

/**
 * Groups that strings are added to.
 *
 * Each factor has a bit for each group, which is set if the group measures another Pauli on the factor's qubit. The
 * bits of 32 groups are a word, so a string is compared with 32 groups at a time.
 */
class OpenGroups {
  readonly groups: FoundString[][] = [];
  /** Words of 32 groups: one for each code of a factor. */
  readonly #stride: number;
  /** Words of the first 32 groups, then those of the next. */
  readonly #conflicts: Int32Array;

  constructor(numQubits: number, mostGroups: number) {
    this.#stride = CODES_PER_QUBIT * numQubits;
    this.#conflicts = new Int32Array(this.#stride * Math.ceil(mostGroups / 32));
  }

  /** Adds a string to the first group that it fits, or to a new one. */
  add(string: FoundString): void {
    const codes = string.factors.map(codeOfFactor);
    const group = this.#firstFit(codes);
    if (group === this.groups.length) this.groups.push([]);
    this.groups[group]!.push(string);
    const [at, bit] = [(group >>> 5) * this.#stride, 1 << (group & 31)];
    for (const code of codes) {
      const first = code - (code % CODES_PER_QUBIT);
      for (let other = first; other < first + NUM_PAULIS; other++) {
        if (other !== code) this.#conflicts[at + other]! |= bit;
      }
    }
  }

  /** The first group without a conflict. Groups that are not there yet have none. */
  #firstFit(codes: readonly number[]): number {
    for (let at = 0, group = 0; ; at += this.#stride, group += 32) {
      let conflicts = 0;
      for (let i = 0; i < codes.length; i++) conflicts |= this.#conflicts[at + codes[i]!]!;
      if (conflicts !== -1) return group + 31 - Math.clz32(~conflicts & (conflicts + 1));
    }
  }
}

/** One more than the highest qubit that a string acts on. */
function numQubitsOf(observables: readonly PauliSum[]): number {
  let numQubits = 0;
  for (const observable of observables) {
    for (const { factors } of observable) {
      for (const { qubit } of factors) numQubits = Math.max(numQubits, qubit + 1);
    }
  }
  return numQubits;
}

/** The strings other than the identity, whose coefficients are added to `offsets`. */
function distinctStrings(
  observables: readonly PauliSum[],
  numQubits: number,
  offsets: number[],
): FoundString[] {
  const numWords = Math.ceil(numQubits / 32);
  const strings = new Map<string, FoundString>();
  for (const [i, observable] of observables.entries()) {
    for (const { coefficient, factors } of observable) {
      if (factors.length === 0) {
        offsets[i]! += coefficient;
        continue;
      }
      // Masks by word of 32 qubits: X and Y, then Y and Z.
      const masks = new Int32Array(2 * numWords);
      for (const { pauli, qubit } of factors) {
        const [word, bit] = [qubit >>> 5, 1 << (qubit & 31)];
        if (pauli !== 'Z') masks[word]! |= bit;
        if (pauli !== 'X') masks[numWords + word]! |= bit;
      }
      const key = String.fromCharCode(...new Uint16Array(masks.buffer));
      let string = strings.get(key);
      if (string === undefined) {
        string = { factors, weights: new Map() };
        strings.set(key, string);
      }
      string.weights.set(i, (string.weights.get(i) ?? 0) + coefficient);
    }
  }
  return [...strings.values()];
}

function closedGroup(strings: readonly FoundString[]): MeasurementGroup {
  const byQubit = new Map<Qubit, PauliFactor>();
  for (const { factors } of strings) {
    for (const factor of factors) byQubit.set(factor.qubit, factor);
  }
  const basis = [...byQubit.values()].sort((a, b) => a.qubit - b.qubit);
  const bitOf = new Map(basis.map(({ qubit }, bit) => [qubit, bit]));
  return {
    basis,
    strings: strings.map(({ factors, weights }) => {
      const bits = new Uint32Array(Math.ceil(basis.length / 32));
      for (const { qubit } of factors) {
        const bit = bitOf.get(qubit)!;
        bits[bit >>> 5]! |= 1 << (bit & 31);
      }
      return { bits, observables: [...weights.keys()], coefficients: [...weights.values()] };
    }),
  };
}

/** Gates after which measurements read the Paulis of a group's basis. */
export function basisChange({ basis }: MeasurementGroup): readonly Operation[] {
  return basis.flatMap(({ pauli, qubit }): readonly Operation[] => {
    const gate = (name: string): Operation => {
      return { kind: 'gate', gate: name, controls: [], targets: [qubit], angles: [] };
    };
    if (pauli === 'Z') return [];
    return pauli === 'X' ? [gate('H')] : [gate('SDG'), gate('H')];
  });
}

/**
 * The circuit that measures a group: the gates of a circuit, a change of basis, and a measurement of
 * the group's qubits.
 *
 * @param circuit - Its own measurements come last and are left out.
 */
export function measuredIn(circuit: Circuit, group: MeasurementGroup): Circuit;
export function measuredIn(circuit: DynamicCircuit, group: MeasurementGroup): DynamicCircuit;
export function measuredIn(circuit: DynamicCircuit, group: MeasurementGroup): DynamicCircuit {
  const { basis } = group;
  const measure: Operation = {
    kind: 'measure',
    qubits: basis.map(({ qubit }) => qubit),
    bits: [...basis.keys()],
  };
  const gates = circuit.operations.filter(({ kind }) => kind !== 'measure');
  return {
    numQubits: circuit.numQubits,
    numBits: basis.length,
    operations: [...gates, ...basisChange(group), measure],
  };
}
