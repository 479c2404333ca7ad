/**
 * QAOA over permutations: places 0 … n − 1 each hold one of the items 0 … n − 1, and every state that
 * the circuit reaches is a superposition of permutations, so that no sample is wasted and no penalty
 * has to be weighed against the cost.
 *
 * A place is a register of ⌈log₂ n⌉ qubits with the number of its item. The mixer is the product of
 * e^{iβS} over all pairs of places, S swapping two registers; the first state is the even
 * superposition of all n! permutations, which S does not change. The common encoding with one qubit
 * for each pair of place and item needs n² qubits instead of n⌈log₂ n⌉, and a penalty or mixers of
 * four qubits.
 *
 * @see Hadfield et al., "From the quantum approximate optimization algorithm to a quantum alternating
 *   operator ansatz" (2019), section 4 (mixers that keep permutations).
 */
import type { GateOperation } from '../../../circuit/circuit.ts';
import { gateOperation as gate } from '../gate-operation.ts';
import type { QaoaAnsatz } from './qaoa-ansatz.ts';
import { energyAt, type ZPolynomial, ZPolynomialBuilder } from './z-polynomial.ts';

/** Most places and items: 15 qubits, 120 permutations. */
const MAX_PLACES = 5;

/** Costs of a permutation: a sum over places, and over pairs of places. */
export interface PermutationCost {
  readonly numPlaces: number;
  /** Cost of an item at a place. */
  readonly single: (place: number, item: number) => number;
  /** Pairs of places with a joint cost; none unless given. */
  readonly pairs?: readonly (readonly [number, number])[];
  /** Cost of an item at the first place of a pair and another at the second. */
  readonly pair?: (item: number, other: number) => number;
}

/** A permutation ansatz with the basis states that it reaches. */
export interface PermutationAnsatz extends QaoaAnsatz {
  /** Basis indices of all permutations. */
  readonly candidates: readonly number[];
  /** The item of each place in a basis state; undefined where it is no permutation. */
  readonly decode: (basisIndex: number) => readonly number[] | undefined;
}

/**
 * Makes the ansatz of a cost over permutations.
 *
 * @throws {RangeError} unless there are 2 to 5 places.
 */
export function permutationAnsatz(cost: PermutationCost): PermutationAnsatz {
  const { numPlaces } = cost;
  if (!(Number.isInteger(numPlaces) && numPlaces >= 2 && numPlaces <= MAX_PLACES)) {
    throw new RangeError(`${numPlaces} places: there are 2 to ${MAX_PLACES}.`);
  }
  const registers = registersOf(numPlaces);
  const polynomial = polynomialOf(cost, registers);
  const width = registers[0]!.length;
  const candidates = permutations(numPlaces).map((items) =>
    items.reduce((index, item, place) => index | (item << (place * width)), 0),
  );
  return {
    numQubits: numPlaces * width,
    cost: polynomial,
    prepare: allPermutations(registers),
    mixer: (beta) =>
      placePairs(numPlaces).flatMap(([a, b]) => partialSwap(registers[a]!, registers[b]!, beta)),
    energyScale: spreadOf(candidates.map((index) => energyAt(polynomial, index))) || 1,
    candidates,
    decode: (basisIndex) => {
      const items = registers.map((_, place) => (basisIndex >> (place * width)) & (2 ** width - 1));
      const isPermutation = new Set(items).size === numPlaces && Math.max(...items) < numPlaces;
      return isPermutation ? items : undefined;
    },
  };
}

/** All permutations of 0 … n − 1, in lexicographic order. */
export function permutations(n: number): readonly (readonly number[])[] {
  const extend = (items: readonly number[]): readonly (readonly number[])[] => {
    if (items.length === n) return [items];
    const left = Array.from({ length: n }, (_, item) => item).filter((i) => !items.includes(i));
    return left.flatMap((item) => extend([...items, item]));
  };
  return extend([]);
}

type Register = readonly number[];

function registersOf(numPlaces: number): readonly Register[] {
  const width = Math.ceil(Math.log2(numPlaces));
  return Array.from({ length: numPlaces }, (_, place) =>
    Array.from({ length: width }, (_, k) => place * width + k),
  );
}

function placePairs(numPlaces: number): readonly (readonly [number, number])[] {
  const places = Array.from({ length: numPlaces }, (_, place) => place);
  return places.flatMap((a) => places.slice(a + 1).map((b) => [a, b] as const));
}

function polynomialOf(
  { numPlaces, single, pairs = [], pair = () => 0 }: PermutationCost,
  registers: readonly Register[],
): ZPolynomial {
  const width = registers[0]!.length;
  const values = 2 ** width;
  const builder = new ZPolynomialBuilder(numPlaces * width);
  for (const [place, register] of registers.entries()) {
    // Register values beyond the last item do not occur; their cost is arbitrary, 0.
    const costs = Float64Array.from({ length: values }, (_, item) =>
      item < numPlaces ? single(place, item) : 0,
    );
    builder.add(register, costs);
  }
  for (const [first, second] of pairs) {
    const costs = Float64Array.from({ length: values * values }, (_, index) => {
      const [item, other] = [index % values, Math.floor(index / values)];
      return item !== other && Math.max(item, other) < numPlaces ? pair(item, other) : 0;
    });
    builder.add([...registers[first]!, ...registers[second]!], costs);
  }
  return builder.build();
}

/**
 * e^{iβS} but for a global phase, S the swap of two registers.
 *
 * In the Bell basis of each pair of qubits a swap is −1 on the singlet, |11⟩ there, and 1 elsewhere:
 * S = Π (1 − 2·u·v), whose expansion is a sum of products of bits, each a controlled phase.
 */
function partialSwap(a: Register, b: Register, beta: number): readonly GateOperation[] {
  const toBell = a.flatMap((qubit, k) => [gate('CX', [b[k]!], [], [qubit]), gate('H', [qubit])]);
  const phases = Array.from({ length: 2 ** a.length - 1 }, (_, i) => {
    const members = a.flatMap((qubit, k) => (((i + 1) >> k) & 1 ? [qubit, b[k]!] : []));
    const angle = beta * (-2) ** (members.length / 2);
    return gate('P', [members[0]!], [angle], members.slice(1));
  });
  return [...toBell, ...phases, ...toBell.toReversed()];
}

/**
 * Prepares the even superposition of all permutations from |0…0⟩.
 *
 * Item k is moved to the even superposition of places 0 … k by partial swaps of place k with each place
 * before it. The other items are already in even superposition, so swapping them changes nothing, and the
 * amplitudes are those of item k alone, which leaves place k in equal shares. The phases that the swaps
 * add are undone place by place.
 */
function allPermutations(registers: readonly Register[]): readonly GateOperation[] {
  const operations = registers.flatMap((register, item) =>
    register.filter((_, k) => (item >> k) & 1).map((qubit) => gate('X', [qubit])),
  );
  for (let k = 1; k < registers.length; k++) {
    // Phases of item k at place j: multiples of a common size.
    const phaseAt = new Array<number>(k + 1).fill(0);
    for (let j = 0; j < k; j++) {
      const beta = Math.asin(1 / Math.sqrt(k + 1 - j));
      operations.push(...partialSwap(registers[k]!, registers[j]!, beta));
      // e^{iβS} is cos β + i·sin β·S on places k and j, and e^{iβ} on the rest; e^{iβ} is left out.
      phaseAt[j] = phaseAt[k]! + Math.PI / 2 - beta;
      phaseAt[k]! -= beta;
    }
    for (let place = 0; place <= k; place++) {
      operations.push(...phaseWhere(registers[place]!, k, -phaseAt[place]!));
    }
  }
  return operations;
}

/** Applies a phase if the register holds the item. */
function phaseWhere(register: Register, item: number, angle: number): readonly GateOperation[] {
  const flips = register.filter((_, k) => !((item >> k) & 1)).map((qubit) => gate('X', [qubit]));
  return [...flips, gate('P', [register[0]!], [angle], register.slice(1)), ...flips];
}

function spreadOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / values.length);
}
