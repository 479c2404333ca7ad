/**
 * Compiles a circuit to be run on a matrix product state: qubits are placed on a chain, wide gates decomposed, and
 * distant qubits brought together by swaps. They are not taken back: each gate begins with the qubits where the gates
 * before have left them.
 */
import {
  allOperations,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  notByStabilizers,
  type Operation,
  operationQubits,
  type Qubit,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { applyToColumns, targetMatrix } from '../../circuit/operation-matrix.ts';
import { MatrixProductNoiseError } from '../errors.ts';
import { twoQubitForm } from '../native/two-qubit-form.ts';
import { lastReadings } from '../noise/last-readings.ts';
import { absorbKnownStates } from '../passes/absorb-known-states.ts';
import { optimize } from '../passes/pipeline.ts';
import type { BondLimits, ChainStep, MatrixProductProgram, Measure } from '../program.ts';
import { ChainBuilder, MatrixList } from './chain-builder.ts';
import { Arrangement, type Couplings, chainOrder } from './chain-order.ts';
import { GateFront, type PairGate } from './gate-front.ts';
import { GateMatrices, SWAP_MATRIX } from './operator-weights.ts';

/** Limits where a request has none. */
export const DEFAULT_BOND_LIMITS: BondLimits = {
  maxBondDimension: 256,
  truncationThreshold: 1e-12,
};

const PASSES = [absorbKnownStates];

/**
 * Compiles a circuit for matrix product states.
 *
 * Global phases are exact, but for those of gates on more than 12 qubits or three and more under a condition.
 *
 * @throws {MatrixProductNoiseError} if the circuit has channels; misread bits are no channels.
 */
export function compileMatrixProduct(
  circuit: DynamicCircuit,
  limits: Partial<BondLimits> = {},
): MatrixProductProgram {
  const { numQubits, numBits, control } = circuit;
  // Gates on qubits that are still |0⟩ would count as if they entangled them.
  const { circuit: simplified } = optimize(circuit, { keepState: true, passes: PASSES });
  const { operations, measures, misreads, assignments } = lastReadings(
    withPairsOnly(simplified.operations, numQubits),
  );
  const compiler = new ChainCompiler(numQubits, operations);
  compiler.add(operations);
  const { steps, matrices, sites } = compiler.finish();
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    steps,
    lastMeasures: measures.map(
      (measure): Measure => ({ ...measure, qubits: measure.qubits.map((q) => sites[q]!) }),
    ),
    lastMisreads: misreads,
    lastAssignments: assignments,
    matrices,
    finalLayout: sites,
    ...DEFAULT_BOND_LIMITS,
    ...limits,
  };
}

/** The operations with gates on at most two qubits, and without barriers. */
function withPairsOnly(
  operations: readonly DynamicOperation[],
  numQubits: number,
): readonly DynamicOperation[] {
  return operations.flatMap((operation): readonly DynamicOperation[] => {
    switch (operation.kind) {
      case 'barrier':
        return [];
      case 'noise':
        throw new MatrixProductNoiseError();
      case 'while':
        return [{ ...operation, body: withPairsOnly(operation.body, numQubits) }];
      case 'gate':
      case 'unitary': {
        const width = operation.controls.length + operation.targets.length;
        if (width > 0 && width <= 2) return [operation];
        if (width > 0) return pairDecomposition(operation, numQubits);
        const [re = 1, im = 0] = targetMatrix(operation);
        const { condition } = operation;
        return [{ ...phaseOn(0, [re, im]), ...(condition === undefined ? {} : { condition }) }];
      }
      default:
        return [operation];
    }
  });
}

/** Partners of a qubit that are looked at to choose where it meets the present one. */
const LOOK_AHEAD = 4;

/** Weight of a pair that crosses a cut, where a distance of one site weighs 1; each further pair doubles it. */
const CUT_WEIGHT = 0.003;

/** Mean number of partners of a qubit beyond which cuts do not count. */
const MAX_PARTNERS = 16;

const numPairsOf = (couplings: Couplings): number =>
  [...couplings.values()].reduce((sum, others) => sum + others.size, 0);

class ChainCompiler {
  readonly #steps: ChainStep[] = [];
  readonly #matrices = new MatrixList();
  readonly #gateMatrices = new GateMatrices();
  readonly #builder: ChainBuilder;
  readonly #arrangement: Arrangement;
  /** Partners of each qubit in its gates on two qubits, the next one last. */
  readonly #partners: Qubit[][];

  constructor(numQubits: number, operations: readonly DynamicOperation[]) {
    this.#builder = new ChainBuilder(numQubits);
    this.#partners = Array.from({ length: numQubits }, () => []);
    const couplings = new Map<Qubit, Map<Qubit, number>>();
    for (const operation of allOperations(operations)) {
      if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
      const [a = 0, b] = operationQubits(operation);
      if (b === undefined) continue;
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        this.#partners[from]!.push(to);
        const others = couplings.get(from) ?? new Map<Qubit, number>();
        others.set(to, (others.get(to) ?? 0) + 1);
        couplings.set(from, others);
      }
    }
    for (const partners of this.#partners) partners.reverse();
    // If most qubits share gates with many others, every cut is crossed too often for any order to help.
    const isDense = couplings.size > 0 && numPairsOf(couplings) > MAX_PARTNERS * couplings.size;
    const order = chainOrder(numQubits, couplings, !isDense);
    this.#arrangement = new Arrangement(order, isDense ? new Map() : couplings);
  }

  finish() {
    this.#endStep(undefined);
    return {
      steps: this.#steps,
      matrices: this.#matrices.all(),
      sites: [...this.#arrangement.siteOf],
    };
  }

  add(operations: readonly DynamicOperation[]): void {
    let gates: PairGate[] = [];
    const addGates = () => {
      new GateFront(gates, this.#arrangement).take((gate) => this.#addGate(gate));
      gates = [];
    };
    for (const operation of operations) {
      const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
      if (isGate && operation.condition === undefined) {
        gates.push(operation);
        continue;
      }
      addGates();
      switch (operation.kind) {
        case 'gate':
        case 'unitary':
          this.#addGate(operation);
          break;
        case 'save':
        case 'measure':
        case 'reset': {
          this.#endStep(undefined);
          const qubits = operation.qubits.map((qubit) => this.#arrangement.siteOf[qubit]!);
          this.#steps.push({ ...operation, qubits });
          break;
        }
        case 'misread':
        case 'assign':
          this.#endStep(undefined);
          this.#steps.push(operation);
          break;
        case 'while':
          this.#addLoop(operation);
          break;
        case 'track':
        case 'repeat':
          throw notByStabilizers(operation);
        case 'initialize':
        case 'barrier':
        case 'noise':
          throw new Error(`unreachable: ${operation.kind} among gates on pairs`);
      }
    }
    addGates();
  }

  #endStep(condition: Condition | undefined): void {
    const gates = this.#builder.take(this.#matrices);
    if (gates.length === 0) return;
    this.#steps.push({ kind: 'gates', gates, ...(condition === undefined ? {} : { condition }) });
  }

  /** A round ends with every qubit on the site where it began. */
  #addLoop({ condition, body }: DynamicOperation & { kind: 'while' }): void {
    this.#endStep(undefined);
    const before = [...this.#arrangement.siteOf];
    const head = this.#steps.length;
    // Replaced once the end is known.
    this.#steps.push({ kind: 'loop', condition, end: 0 });
    this.add(body);
    this.#restore(before);
    this.#endStep(undefined);
    this.#steps.push({ kind: 'again', head });
    this.#steps[head] = { kind: 'loop', condition, end: this.#steps.length };
  }

  /** Sorts the qubits to the sites that they had. */
  #restore(sites: readonly number[]): void {
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for (let site = 0; site + 1 < sites.length; site++) {
        if (sites[this.#arrangement.qubitAt[site]!]! < sites[this.#arrangement.qubitAt[site + 1]!]!)
          continue;
        this.#swap(site);
        isDone = false;
      }
    }
  }

  #addGate(operation: PairGate): void {
    const { condition } = operation;
    const [a = 0, b] = operationQubits(operation);
    if (b !== undefined) this.#bringTogether(a, b);
    if (condition !== undefined) this.#endStep(undefined);
    if (b === undefined) {
      const matrix = this.#gateMatrices.of(operation, () => 0, 1);
      this.#builder.addSite(this.#arrangement.siteOf[a]!, matrix);
    } else {
      const first = Math.min(this.#arrangement.siteOf[a]!, this.#arrangement.siteOf[b]!);
      const bitOf = (qubit: Qubit) => (this.#arrangement.siteOf[qubit] === first ? 1 : 0);
      this.#builder.addPair(first, this.#gateMatrices.of(operation, bitOf, 2));
    }
    if (condition !== undefined) this.#endStep(condition);
  }

  #bringTogether(a: Qubit, b: Qubit): void {
    this.#forget(a, b);
    this.#forget(b, a);
    const from = Math.min(this.#arrangement.siteOf[a]!, this.#arrangement.siteOf[b]!);
    const to = Math.max(this.#arrangement.siteOf[a]!, this.#arrangement.siteOf[b]!);
    if (to - from <= 1) return;
    const meeting = this.#meetingPlace(from, to);
    for (let site = from; site < meeting; site++) this.#swap(site);
    for (let site = to - 1; site > meeting; site--) this.#swap(site);
  }

  /** Takes a gate that is done off the partners of a qubit. */
  #forget(qubit: Qubit, partner: Qubit): void {
    const partners = this.#partners[qubit]!;
    partners.splice(partners.lastIndexOf(partner), 1);
  }

  /**
   * The site of the first of two qubits once they are neighbours: one where few pairs cross the cuts, and from which
   * their next partners are near.
   */
  #meetingPlace(from: number, to: number): number {
    const arrangement = this.#arrangement;
    const first = arrangement.qubitAt[from]!;
    const second = arrangement.qubitAt[to]!;
    let change = arrangement.move(second, from + 1);
    let best = from;
    let least = Number.POSITIVE_INFINITY;
    for (let place = from; ; place++) {
      const distance = this.#distanceToPartners(first) + this.#distanceToPartners(second);
      const cost = distance + CUT_WEIGHT * change;
      if (cost < least) [best, least] = [place, cost];
      if (place + 1 === to) break;
      // The next qubit on the way changes to the other side of the two.
      change += arrangement.swap(place + 1) + arrangement.swap(place);
    }
    arrangement.move(first, from);
    return best;
  }

  #distanceToPartners(qubit: Qubit): number {
    const { siteOf } = this.#arrangement;
    const partners = this.#partners[qubit]!;
    let sum = 0;
    for (let i = 1; i <= Math.min(LOOK_AHEAD, partners.length); i++) {
      sum += Math.abs(siteOf[partners.at(-i)!]! - siteOf[qubit]!) / i;
    }
    return sum;
  }

  /** Exchanges the qubits of a site and the next one. */
  #swap(site: number): void {
    this.#builder.addPair(site, SWAP_MATRIX);
    this.#arrangement.swap(site);
  }
}

type GateLike = GateOperation | UnitaryOperation;

/** Most qubits of a decomposition whose phase is computed: a state on them has 2^12 amplitudes. */
const MAX_PHASE_QUBITS = 12;

/**
 * Decomposes a gate on three or more qubits. The phase is exact on up to 12 qubits, those included that a gate with
 * many controls borrows.
 */
function pairDecomposition(operation: GateLike, numQubits: number): readonly Operation[] {
  const { operations } = twoQubitForm({ numQubits, numBits: 0, operations: [operation] });
  const parts = operations.filter(isGateLike);
  if (operation.condition !== undefined) return parts;
  const phase = phaseBetween(operation, parts);
  return phase === undefined ? parts : [...parts, phaseOn(operationQubits(operation)[0]!, phase)];
}

/** A global phase, as a gate on a qubit. */
function phaseOn(qubit: Qubit, [re, im]: readonly [number, number]): UnitaryOperation {
  const matrix = Float64Array.of(re, im, 0, 0, 0, 0, re, im);
  return { kind: 'unitary', controls: [], targets: [qubit], matrix };
}

function isGateLike(operation: Operation): operation is GateLike {
  return operation.kind === 'gate' || operation.kind === 'unitary';
}

/** The phase that the parts lack; undefined if it is 1, or unknown. */
function phaseBetween(
  whole: GateLike,
  parts: readonly GateLike[],
): readonly [number, number] | undefined {
  const qubits = [...new Set([whole, ...parts].flatMap(operationQubits))];
  if (qubits.length > MAX_PHASE_QUBITS) return undefined;
  const place = new Map(qubits.map((qubit, i) => [qubit, i]));
  const amplitudes = new Float64Array(2 * 2 ** qubits.length);
  amplitudes[0] = 1;
  const at = (qubit: Qubit) => place.get(qubit)!;
  for (const part of parts) {
    const placed = { ...part, controls: part.controls.map(at), targets: part.targets.map(at) };
    applyToColumns(amplitudes, 2 ** qubits.length, placed);
  }
  // The image of |0…0⟩: itself under controls, else the first column of the matrix.
  const matrix = whole.controls.length > 0 ? [1, 0] : targetMatrix(whole);
  const size = whole.controls.length > 0 ? 1 : 2 ** whole.targets.length;
  let [row, largest] = [0, 0];
  for (let i = 0; i < size; i++) {
    const mass = matrix[2 * i * size]! ** 2 + matrix[2 * i * size + 1]! ** 2;
    if (mass > largest) [row, largest] = [i, mass];
  }
  let from = 0;
  for (const [t, target] of whole.targets.entries()) {
    if (((row >> t) & 1) === 1) from += 2 * 2 ** at(target);
  }
  const [ar, ai] = [amplitudes[from]!, amplitudes[from + 1]!];
  const [br, bi] = [matrix[2 * row * size]!, matrix[2 * row * size + 1]!];
  const [re, im] = [br * ar + bi * ai, bi * ar - br * ai];
  const length = Math.hypot(re, im);
  if (Math.abs(re - length) < 1e-15 && Math.abs(im) < 1e-15) return undefined;
  return [re / length, im / length];
}
