/**
 * When operations begin, if each begins as early as possible, and how qubits relax while they wait.
 *
 * An operation begins on all of its qubits at once, when they are free and the bits that it reads are there. A barrier
 * makes its qubits wait for each other. How long a loop takes is not known before it runs, so that all qubits wait for
 * each other before it and after each of its rounds. A qubit whose last operation is over no longer changes.
 */
import {
  allOperations,
  assignedBits,
  type DynamicOperation,
  type GateOperation,
  type MeasureOperation,
  type NoiseOperation,
  notByStabilizers,
  operationQubits,
  type Qubit,
  type ResetOperation,
  type UnitaryOperation,
} from '../circuit.ts';
import type { Bit } from '../classical-expression.ts';
import type { Channel } from './channel.ts';
import { namesOfGate } from './gate-pattern.ts';
import { thermalRelaxation } from './named-channels.ts';
import type { IdleRule } from './read-noise-model.ts';

/** Operations that take time. */
type TimedOperation = GateOperation | UnitaryOperation | MeasureOperation | ResetOperation;

/** Waits shorter than this part of the time so far are rounding. */
const ROUNDING = 1e-12;

/** Follows a circuit, one operation after the other. Times are in nanoseconds. */
export class IdleClock {
  readonly #rules: readonly IdleRule[];
  /** Time at which each qubit is free. */
  readonly #free: Float64Array;
  /** Time at which a bit has its value; 0 where it is not listed. */
  readonly #written = new Map<Bit, number>();
  /** Whether each qubit may be other than |0⟩, in which it rests unless it is warm. */
  readonly #isTouched: boolean[];
  readonly #allQubits: readonly Qubit[];
  readonly #relaxation = new Map<string, Channel | undefined>();

  constructor(numQubits: number, rules: readonly IdleRule[]) {
    this.#rules = rules;
    this.#free = new Float64Array(numQubits);
    this.#isTouched = new Array<boolean>(numQubits).fill(false);
    this.#allQubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  }

  /** Returns the relaxation of qubits that wait for an operation, which is next. */
  before(operation: DynamicOperation): readonly NoiseOperation[] {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
      case 'measure':
      case 'reset':
        return this.#timed(operation);
      case 'barrier':
        return this.#waitAt(operation.qubits, operation.duration ?? 0);
      case 'initialize':
        this.#isTouched.fill(true);
        return [];
      case 'noise': {
        const waits = this.#begin(operation.qubits, this.#readable(operation.condition?.bits), 0);
        for (const qubit of operation.qubits) this.#isTouched[qubit] = true;
        return waits;
      }
      case 'assign': {
        const time = this.#readable(assignedBits(operation));
        for (const bit of operation.bits) this.#written.set(bit, time);
        return [];
      }
      case 'save':
        // The state of a moment: qubits that are free have waited until now.
        return this.#begin(operation.qubits, 0, 0);
      case 'misread':
      case 'track':
        return [];
      case 'repeat':
        throw notByStabilizers(operation);
      case 'while': {
        // All bits are there by then: a bit is written when its qubit is free, at the latest.
        const waits = this.#begin(this.#allQubits, 0, 0);
        for (const inner of allOperations(operation.body)) {
          if (inner.kind === 'assign' || inner.kind === 'misread') continue;
          for (const qubit of operationQubits(inner)) this.#isTouched[qubit] = true;
        }
        this.#restart();
        return waits;
      }
    }
  }

  /** Returns the relaxation at the end of a round of a loop. The next operation begins at time 0. */
  endRound(): readonly NoiseOperation[] {
    const waits = this.#begin(this.#allQubits, 0, 0);
    this.#restart();
    return waits;
  }

  #restart(): void {
    this.#free.fill(0);
    this.#written.clear();
  }

  /** Returns the relaxation of qubits that wait for each other, and then for a time. */
  #waitAt(qubits: readonly Qubit[], duration: number): readonly NoiseOperation[] {
    const waits = [...this.#begin(qubits, 0, duration)];
    if (duration > 0) for (const qubit of qubits) this.#relax(qubit, duration, waits);
    return waits;
  }

  #timed(operation: TimedOperation): readonly NoiseOperation[] {
    const qubits = operationQubits(operation);
    const duration = operation.role === undefined ? this.#duration(operation, qubits) : 0;
    const waits = this.#begin(qubits, this.#readable(operation.condition?.bits), duration);
    if (operation.kind === 'measure') {
      for (const [i, bit] of operation.bits.entries()) {
        this.#written.set(bit, this.#free[qubits[i]!]!);
      }
    } else {
      for (const qubit of qubits) this.#isTouched[qubit] = true;
    }
    return waits;
  }

  /** Time at which all of these bits have their values. */
  #readable(bits: readonly Bit[] | undefined): number {
    let time = 0;
    for (const bit of bits ?? []) time = Math.max(time, this.#written.get(bit) ?? 0);
    return time;
  }

  /** Begins an operation when all of its qubits are free, and not before a time. */
  #begin(qubits: readonly Qubit[], notBefore: number, duration: number): readonly NoiseOperation[] {
    let start = notBefore;
    for (const qubit of qubits) start = Math.max(start, this.#free[qubit]!);
    const waits: NoiseOperation[] = [];
    for (const qubit of qubits) {
      const wait = start - this.#free[qubit]!;
      if (wait > ROUNDING * start) this.#relax(qubit, wait, waits);
      this.#free[qubit] = start + duration;
    }
    return waits;
  }

  #relax(qubit: Qubit, wait: number, waits: NoiseOperation[]): void {
    for (const [i, { qubits, t1, t2, excited }] of this.#rules.entries()) {
      if (!(qubits?.has(qubit) ?? true)) continue;
      if (excited === 0 && !this.#isTouched[qubit]) continue;
      const key = `${i} ${wait}`;
      if (!this.#relaxation.has(key)) {
        this.#relaxation.set(key, thermalRelaxation(t1, t2, wait, excited));
      }
      const channel = this.#relaxation.get(key);
      if (channel === undefined) continue;
      waits.push({ kind: 'noise', qubits: [qubit], channel });
      this.#isTouched[qubit] = true;
    }
  }

  /** Longest time that a rule for one of the qubits gives an operation; where none does, that any rule gives. */
  #duration(operation: TimedOperation, qubits: readonly Qubit[]): number {
    const names = namesOf(operation);
    let own: number | undefined;
    let any = 0;
    for (const { qubits: some, durations } of this.#rules) {
      const name = names.find((each) => durations.has(each));
      if (name === undefined) continue;
      const duration = durations.get(name)!;
      any = Math.max(any, duration);
      if (qubits.some((qubit) => some?.has(qubit) ?? true)) own = Math.max(own ?? 0, duration);
    }
    return own ?? any;
  }
}

function namesOf(operation: TimedOperation): readonly string[] {
  switch (operation.kind) {
    case 'gate':
    case 'unitary':
      return namesOfGate(operation);
    case 'measure':
      return ['M'];
    case 'reset':
      return ['RESET'];
  }
}
