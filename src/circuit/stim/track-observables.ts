/**
 * Observables that include Pauli operators, such as `OBSERVABLE_INCLUDE(0) X1 Z2`. Stim says of them what errors flip:
 * operators of one or of several observables need not commute, so that they cannot all be measured. All parts of such
 * an observable, its measurements too, toggle one further bit where errors flip them.
 */
import type { DynamicCircuit, DynamicOperation, TrackOperation } from '../circuit.ts';
import type { Bit } from '../classical-expression.ts';
import { PauliString } from './pauli-string.ts';
import type { StimStatement, StimTarget } from './stim-text.ts';

/**
 * A circuit with further bits, one for each observable that has Pauli operators: it is 1 where errors have flipped the
 * observable.
 */
export interface TrackedObservables {
  readonly circuit: DynamicCircuit;
  readonly logicalObservables: readonly (readonly Bit[])[];
}

/** Collects the parts of the observables that include Pauli operators. */
export class ObservableTracking {
  /** Numbers of these observables, with the order of their bits. */
  readonly #order = new Map<number, number>();
  readonly #parts: {
    readonly place: number;
    readonly index: number;
    readonly string: Pick<TrackOperation, 'flips' | 'signs' | 'reads'>;
  }[] = [];

  constructor(statements: readonly StimStatement[]) {
    this.#find(statements);
  }

  /** Whether there are any. */
  get isNeeded(): boolean {
    return this.#order.size > 0;
  }

  #find(statements: readonly StimStatement[]): void {
    for (const statement of statements) {
      if (statement.gate === undefined) {
        this.#find(statement.body);
        continue;
      }
      const { gate, args, targets } = statement;
      if (gate.action.kind !== 'observable') continue;
      const hasPaulis = targets.some(({ kind }) => kind === 'pauli');
      if (hasPaulis && !this.#order.has(args[0]!)) this.#order.set(args[0]!, this.#order.size);
    }
  }

  /**
   * Adds targets to an observable; those of one without Pauli operators are left out.
   *
   * @param reads - The bits of its measurements.
   * @param place - Number of operations before it.
   */
  include(
    index: number,
    targets: readonly StimTarget[],
    reads: ReadonlySet<Bit>,
    place: number,
  ): void {
    if (!this.#order.has(index)) return;
    const product = new PauliString();
    for (const target of targets) if (target.kind === 'pauli') product.multiply(target);
    const withMask = (mask: number) =>
      [...product.parts].flatMap(([qubit, own]) => ((own & mask) === 0 ? [] : [qubit]));
    const string = { flips: withMask(1), signs: withMask(2), reads: [...reads] };
    this.#parts.push({ place, index, string });
  }

  /** The circuit in which the observables are tracked; undefined if there are none. */
  finish(
    { numBits, operations, ...circuit }: DynamicCircuit,
    logicalObservables: readonly (readonly Bit[])[],
  ): TrackedObservables | undefined {
    if (!this.isNeeded) return undefined;
    const all: DynamicOperation[] = [];
    let next = 0;
    for (const { place, index, string } of this.#parts) {
      while (next < place) all.push(operations[next++]!);
      all.push({ kind: 'track', ...string, bit: numBits + this.#order.get(index)! });
    }
    while (next < operations.length) all.push(operations[next++]!);
    return {
      circuit: { ...circuit, numBits: numBits + this.#order.size, operations: all },
      logicalObservables: logicalObservables.map((bits, index) => {
        const own = this.#order.get(index);
        return own === undefined ? bits : [numBits + own];
      }),
    };
  }
}
