/**
 * Writes a circuit in the gates of a set: first blocks on pairs of qubits with the fewest two-qubit gates,
 * then runs of one-qubit gates with the fewest of those.
 *
 * Global phases are dropped, and so is everything that a following measurement makes unobservable.
 */
import {
  type Circuit,
  type Condition,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import { eulerAngles, RZ } from '../../circuit/gate-matrices.ts';
import { gateNamed } from '../../circuit/gates.ts';
import { matrixOfOperations, targetMatrix } from '../../circuit/operation-matrix.ts';
import type { GateSet } from '../../circuit/synthesis/gate-set.ts';
import { oneQubitGates } from '../../circuit/synthesis/one-qubit-gates.ts';
import { entanglerOn } from '../../circuit/synthesis/two-qubit-circuit.ts';
import { entanglerCircuit } from '../../circuit/synthesis/unitary-gates.ts';
import { adjoint, type ComplexMatrix, multiply } from '../../math/complex-matrix.ts';
import { Z_AXIS } from '../passes/gate-facts.ts';
import { axesOf, conditionOf, type GateLike } from '../passes/gate-like.ts';

/** Whether a device takes a two-qubit gate on qubits in that order of its operands. */
type MayActOn = (first: Qubit, second: Qubit) => boolean;

/**
 * Writes a circuit in the set's gates.
 *
 * @param circuit - Gates on at most two qubits, or wider ones that the set has by name.
 * @param mayActOn - Orders that two-qubit gates may have; any, unless given.
 */
export function nativeCircuit(
  circuit: Circuit,
  set: GateSet,
  mayActOn: MayActOn = () => true,
): Circuit {
  const operations = pairBlocks(circuit.operations, circuit.numQubits).flatMap((item) =>
    item.kind === 'pair'
      ? nativeBlock(item, set, mayActOn)
      : nativePair(item.operation, set, mayActOn),
  );
  return writeOneQubitRuns({ ...circuit, operations }, set);
}

/** Writes a block gate by gate or as one unitary, whichever has fewer two-qubit gates. */
function nativeBlock(
  { qubits: [a, b], operations }: PairBlock,
  set: GateSet,
  mayActOn: MayActOn,
): readonly Operation[] {
  const oneByOne = operations.flatMap((operation) => nativePair(operation, set, mayActOn));
  const qubits = ordered(a, b, mayActOn);
  const numPairs = countPairs(oneByOne);
  if (numPairs <= 1 && operations.length <= 1) return oneByOne;
  const place = (qubit: number) => (qubit === qubits[0] ? 0 : 1);
  const onPair = operations.map(
    (operation): GateLike => ({
      ...operation,
      controls: operation.controls.map(place),
      targets: operation.targets.map(place),
    }),
  );
  const circuit = entanglerCircuit(matrixOfOperations(onPair, 2), set);
  if (circuit.locals.length - 1 >= numPairs) return oneByOne;
  return withEntanglers(circuit.locals, qubits, set, {});
}

function countPairs(operations: readonly Operation[]): number {
  return operations.filter((operation) => operationQubits(operation).length === 2).length;
}

/** Writes one operation; one-qubit gates are left for later. */
function nativePair(operation: Operation, set: GateSet, mayActOn: MayActOn): readonly Operation[] {
  if (operation.kind !== 'gate' && operation.kind !== 'unitary') return [operation];
  const { controls, targets } = operation;
  const width = controls.length + targets.length;
  if (width === 0) return [];
  const [first = 0, second = 0] = operationQubits(operation);
  if (width === 1) return [operation];
  if (isNamed(operation, set) && (width > 2 || mayActOn(first, second))) return [operation];
  if (width > 2) throw new Error('unreachable: a gate on three qubits that the set does not have');
  const [a, b] = ordered(first, second, mayActOn);
  const place = (qubit: number) => (qubit === a ? 0 : 1);
  const matrix = matrixOfOperations(
    [{ ...operation, controls: controls.map(place), targets: targets.map(place) }],
    2,
  );
  const { locals } = entanglerCircuit(matrix, set);
  return withEntanglers(locals, [a, b], set, conditionOf(operation));
}

/** The qubits in an order that a two-qubit gate may have. */
function ordered(a: Qubit, b: Qubit, mayActOn: MayActOn): readonly [Qubit, Qubit] {
  return mayActOn(a, b) ? [a, b] : [b, a];
}

/** Whether the set contains a gate on several qubits. */
function isNamed(operation: GateLike, set: GateSet): boolean {
  if (set.takesAnything) return true;
  return (
    operation.kind === 'gate' &&
    set.names.has(operation.gate) &&
    operation.controls.length === gateNamed(operation.gate).numControls
  );
}

function withEntanglers(
  locals: ReturnType<typeof entanglerCircuit>['locals'],
  qubits: readonly [number, number],
  { entangler }: GateSet,
  condition: ReturnType<typeof conditionOf>,
): readonly Operation[] {
  return locals.flatMap((pair, i): readonly Operation[] => {
    const gates = qubits.map(
      (qubit, side): Operation => ({
        kind: 'unitary',
        controls: [],
        targets: [qubit],
        matrix: pair[side === 0 ? 0 : 1],
        ...condition,
      }),
    );
    return i === 0
      ? gates
      : [{ ...entanglerOn(entangler, qubits[0], qubits[1]), ...condition }, ...gates];
  });
}

/** Consecutive gates on two qubits. Gates on one of them may precede the first on both. */
interface PairBlock {
  readonly kind: 'pair';
  readonly qubits: readonly [Qubit, Qubit];
  readonly operations: readonly GateLike[];
}

/** Any other operation, unchanged. */
interface SingleItem {
  readonly kind: 'single';
  readonly operation: Operation;
}

/**
 * Divides operations into blocks on pairs of qubits and single ones, in an equivalent order. A block has gates
 * on the same two qubits with no other gate on either of them in between. It is one two-qubit unitary, which
 * may take fewer gates than it was written in.
 */
function pairBlocks(
  operations: readonly Operation[],
  numQubits: number,
): readonly (PairBlock | SingleItem)[] {
  const collector = new Collector(numQubits);
  for (const operation of operations) collector.add(operation);
  return collector.finish();
}

interface OpenBlock {
  readonly kind: 'pair';
  readonly qubits: readonly [Qubit, Qubit];
  readonly operations: GateLike[];
}

class Collector {
  readonly #items: (PairBlock | SingleItem)[] = [];
  readonly #open: (OpenBlock | undefined)[];
  /** One-qubit gates that wait for a block to join. */
  readonly #waiting: GateLike[][];

  constructor(numQubits: number) {
    this.#open = new Array<OpenBlock | undefined>(numQubits).fill(undefined);
    this.#waiting = Array.from({ length: numQubits }, () => []);
  }

  add(operation: Operation): void {
    const qubits = operationQubits(operation);
    const [a, b] = qubits;
    if (isPlainGate(operation) && a !== undefined && qubits.length === 1) {
      (this.#open[a]?.operations ?? this.#waiting[a]!).push(operation);
      return;
    }
    if (isPlainGate(operation) && a !== undefined && b !== undefined && qubits.length === 2) {
      this.#addPair(operation, a, b);
      return;
    }
    for (const qubit of qubits) this.#close(qubit);
    this.#items.push({ kind: 'single', operation });
  }

  finish(): readonly (PairBlock | SingleItem)[] {
    for (const qubit of this.#open.keys()) this.#close(qubit);
    return this.#items;
  }

  #addPair(operation: GateLike, a: Qubit, b: Qubit): void {
    const open = this.#open[a];
    if (open !== undefined && open === this.#open[b]) {
      open.operations.push(operation);
      return;
    }
    for (const qubit of [a, b]) if (this.#open[qubit] !== undefined) this.#close(qubit);
    const earlier = [...this.#waiting[a]!.splice(0), ...this.#waiting[b]!.splice(0)];
    const block: OpenBlock = { kind: 'pair', qubits: [a, b], operations: [...earlier, operation] };
    this.#open[a] = block;
    this.#open[b] = block;
  }

  /** Ends the block on a qubit and flushes the gates that wait on it. */
  #close(qubit: Qubit): void {
    const block = this.#open[qubit];
    if (block !== undefined) {
      this.#items.push(block);
      for (const each of block.qubits) this.#open[each] = undefined;
    }
    for (const operation of this.#waiting[qubit]!.splice(0)) {
      this.#items.push({ kind: 'single', operation });
    }
  }
}

function isPlainGate(operation: Operation): operation is GateLike {
  return (
    (operation.kind === 'gate' || operation.kind === 'unitary') && operation.condition === undefined
  );
}

// Writes runs of one-qubit gates in the gates of a set.
//
// A rotation about Z at the end of a run moves past operations that are diagonal on its qubit, such as a CZ
// or the control of a CX, and joins the next run, where it usually costs nothing. Before a measurement it is
// an unobservable phase and is dropped.

/** Sines below this are rounding errors. */
const NEGLIGIBLE = 1e-12;
const HALF = Math.PI / 2;

/** Writes the one-qubit gates of a circuit in the set's gates and keeps all other operations. */
function writeOneQubitRuns(circuit: Circuit, set: GateSet): Circuit {
  const writer = new Writer(circuit, set);
  for (const operation of circuit.operations) writer.add(operation);
  return { ...circuit, operations: writer.finish() };
}

class Writer {
  readonly #set: GateSet;
  /** Product of each qubit's gates since the last one written. */
  readonly #runs: (ComplexMatrix | undefined)[];
  readonly #written: Operation[] = [];

  constructor({ numQubits }: Circuit, set: GateSet) {
    this.#set = set;
    this.#runs = new Array<ComplexMatrix | undefined>(numQubits).fill(undefined);
  }

  add(operation: Operation): void {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        return;
      case 'measure':
        for (const qubit of operation.qubits) {
          if (operation.condition === undefined) this.#settleBeforeMeasurement(qubit);
          else this.#settle(qubit);
        }
        break;
      case 'reset':
      case 'barrier':
        for (const qubit of operation.qubits) this.#settle(qubit);
        break;
    }
    this.#written.push(operation);
  }

  finish(): readonly Operation[] {
    for (const qubit of this.#runs.keys()) this.#settle(qubit);
    return this.#written;
  }

  #addGate(operation: GateLike): void {
    const qubits = operationQubits(operation);
    const [qubit] = qubits;
    if (qubit !== undefined && qubits.length === 1 && operation.condition === undefined) {
      const run = this.#runs[qubit];
      const matrix = targetMatrix(operation);
      this.#runs[qubit] = run === undefined ? matrix : multiply(matrix, run);
      return;
    }
    const axes = axesOf(operation);
    for (const [i, each] of qubits.entries()) {
      const isDiagonal = operation.condition === undefined && (axes[i]! & Z_AXIS) !== 0;
      this.#settleBefore(each, isDiagonal);
    }
    if (qubit !== undefined && qubits.length === 1) {
      this.#write(qubit, targetMatrix(operation), operation.condition);
      return;
    }
    this.#written.push(operation);
  }

  /** Writes a run before an operation, except for a rotation about Z that is cheaper after it. */
  #settleBefore(qubit: Qubit, isDiagonal: boolean): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    const angle = turnLeftOver(run, this.#set);
    const rest = multiply(adjoint(RZ(angle)), run);
    if (!isDiagonal || this.#lengthOf(rest) >= this.#lengthOf(run)) {
      this.#settle(qubit);
      return;
    }
    this.#write(qubit, rest, undefined);
    this.#runs[qubit] = RZ(angle);
  }

  /**
   * Writes a run before a measurement, without its final rotation about Z, which only adds a phase to each
   * outcome.
   */
  #settleBeforeMeasurement(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    this.#runs[qubit] = undefined;
    const rest = multiply(adjoint(RZ(turnLeftOver(run, this.#set))), run);
    // A fixed gate may be shorter with its rotation than without.
    this.#write(qubit, this.#lengthOf(rest) <= this.#lengthOf(run) ? rest : run, undefined);
  }

  #lengthOf(matrix: ComplexMatrix): number {
    return oneQubitGates(matrix, this.#set).gates.length;
  }

  #settle(qubit: Qubit): void {
    const run = this.#runs[qubit];
    if (run === undefined) return;
    this.#runs[qubit] = undefined;
    this.#write(qubit, run, undefined);
  }

  #write(qubit: Qubit, matrix: ComplexMatrix, condition: Condition | undefined): void {
    for (const { gate, angles } of oneQubitGates(matrix, this.#set).gates) {
      const operation = { kind: 'gate', gate, controls: [], targets: [qubit], angles } as const;
      this.#written.push(condition === undefined ? operation : { ...operation, condition });
    }
  }
}

/** Angle of the final RZ of a run in the set's basis. The run may be shorter without it. */
function turnLeftOver(matrix: ComplexMatrix, set: GateSet): number {
  const { basis } = set;
  const { theta, phi, lambda } = eulerAngles(matrix);
  if (Math.abs(Math.sin(theta / 2)) < NEGLIGIBLE) return phi + lambda;
  if (typeof basis !== 'string') {
    const last = oneQubitGates(matrix, set).gates.at(-1);
    return last?.gate === 'RZ' || last?.gate === 'P' ? last.angles[0]! : phi;
  }
  switch (basis) {
    case 'u':
    case 'u2':
    case 'xyx':
    case 'zyz':
      return phi;
    case 'zxz':
      return phi + HALF;
    // RZ(φ)·RY(θ)·RZ(λ) = RZ(φ + λ)·PRX(θ, π/2 − λ).
    case 'prx':
      return phi + lambda;
    case 'zsx':
      if (Math.abs(theta - Math.PI) < NEGLIGIBLE) return 0;
      return phi + (Math.abs(theta - HALF) < NEGLIGIBLE ? HALF : Math.PI);
  }
}
