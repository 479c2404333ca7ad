/**
 * Puts off measurements to the end of a circuit, with the misreadings of their bits and the assignments that read them.
 * Measurements before that would part shots that may as well stay together.
 */
import {
  type AssignOperation,
  allOperations,
  assignedBits,
  type DynamicOperation,
  type MeasureOperation,
  type MisreadOperation,
  notByStabilizers,
  operationQubits,
  type Qubit,
} from '../../circuit/circuit.ts';
import { type Bit, bitsRead } from '../../circuit/classical-expression.ts';

/** An operation that may come last. */
type LastOperation = MeasureOperation | MisreadOperation | AssignOperation;

/** The operations of a circuit without those that are put off, and these. */
interface LastReadings {
  readonly operations: readonly DynamicOperation[];
  /** Come first; no bit is measured twice. */
  readonly measures: readonly MeasureOperation[];
  /** Come second. */
  readonly misreads: readonly MisreadOperation[];
  /** Come last. */
  readonly assignments: readonly AssignOperation[];
}

/** All operations where they are written. */
export const inPlace = (operations: readonly DynamicOperation[]): LastReadings => ({
  operations,
  measures: [],
  misreads: [],
  assignments: [],
});

/** Divides the operations of a circuit; the outcomes have the same distribution. */
export function lastReadings(operations: readonly DynamicOperation[]): LastReadings {
  // Frames run such circuits, and part no shots.
  if (operations.some(({ kind }) => kind === 'repeat')) return inPlace(operations);
  const kept: DynamicOperation[] = [];
  const measures: MeasureOperation[] = [];
  const misreads: MisreadOperation[] = [];
  const assignments: AssignOperation[] = [];
  const later = new Later();
  const measured = new Set<Bit>();
  /** Bits that measurements among the last write, or that are misread there. */
  const readings = new Set<Bit>();
  for (const operation of operations.toReversed()) {
    if (!isLast(operation) || !later.mayBePutOff(operation)) {
      kept.push(operation);
      later.add(operation);
      continue;
    }
    if (operation.kind === 'assign') {
      // Assignments come after all measurements, which must not change the bits that they read or write.
      if (assignedBits(operation).some((bit) => readings.has(bit))) {
        kept.push(operation);
        later.add(operation);
      } else assignments.push(operation);
      continue;
    }
    // A bit that a later measurement overwrites is never read.
    const places = [...operation.bits.keys()].filter((i) => !measured.has(operation.bits[i]!));
    const bits = places.map((i) => operation.bits[i]!);
    for (const bit of bits) readings.add(bit);
    if (bits.length === 0) continue;
    if (operation.kind === 'misread') misreads.push({ ...operation, bits });
    else {
      measures.push({ ...operation, bits, qubits: places.map((i) => operation.qubits[i]!) });
      for (const bit of bits) measured.add(bit);
    }
  }
  const parts = { measures, misreads, assignments };
  for (const part of [kept, ...Object.values(parts)]) part.reverse();
  return { operations: kept, ...parts };
}

/** Whether an operation is of a kind that may come last. Assignments may depend on bits, as their values do. */
function isLast(operation: DynamicOperation): operation is LastOperation {
  if (operation.kind === 'assign') return true;
  const isReading = operation.kind === 'measure' || operation.kind === 'misread';
  return isReading && operation.condition === undefined;
}

/** Qubits and bits that the operations use which stay before the end. */
class Later {
  readonly #qubits = new Set<Qubit>();
  readonly #written = new Set<Bit>();
  readonly #read = new Set<Bit>();

  add(operation: DynamicOperation): void {
    for (const bit of operation.kind === 'barrier' ? [] : (operation.condition?.bits ?? [])) {
      this.#read.add(bit);
    }
    switch (operation.kind) {
      case 'repeat':
        throw notByStabilizers(operation);
      case 'while':
        for (const inner of allOperations(operation.body)) this.add(inner);
        for (const bit of conditionsOf(operation.body)) this.#read.add(bit);
        return;
      case 'misread':
      case 'assign':
        for (const bit of operation.bits) this.#written.add(bit);
        if (operation.kind === 'misread') for (const bit of operation.bits) this.#read.add(bit);
        else for (const bit of bitsRead(operation.value)) this.#read.add(bit);
        return;
      case 'track':
        for (const qubit of [...operation.flips, ...operation.signs]) this.#qubits.add(qubit);
        for (const bit of operation.reads) this.#read.add(bit);
        return;
      case 'measure':
        for (const bit of operation.bits) this.#written.add(bit);
        break;
      case 'barrier':
        return;
    }
    for (const qubit of operationQubits(operation)) this.#qubits.add(qubit);
  }

  /** Whether an operation gives the same after the others. */
  mayBePutOff(operation: LastOperation): boolean {
    const isFree = (bit: Bit) => !this.#written.has(bit) && !this.#read.has(bit);
    if (!operation.bits.every(isFree)) return false;
    if (operation.kind === 'assign') {
      return assignedBits(operation).every((bit) => !this.#written.has(bit));
    }
    return operation.kind === 'misread' || operation.qubits.every((q) => !this.#qubits.has(q));
  }
}

/** Bits that the conditions of loops in a body read. */
function conditionsOf(body: readonly DynamicOperation[]): readonly Bit[] {
  return body.flatMap((operation) =>
    operation.kind === 'while'
      ? [...operation.condition.bits, ...conditionsOf(operation.body)]
      : [],
  );
}
