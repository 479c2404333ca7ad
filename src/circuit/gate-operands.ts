/**
 * Reads the qubits and classical bits of a gate object. Several spellings are accepted.
 *
 * Controls are `control` followed by `controls`. Targets are in one of `qubit`, `target`, `qubits`,
 * `targets`. A list that holds the gate's own controls and its targets together is in OpenQASM's order,
 * controls first; `control` and `controls` are then further ones.
 */
import type { Condition, Qubit } from './circuit.ts';
import {
  type CircuitLimits,
  MAX_CLASSICAL_BITS,
  MAX_CONDITION_BITS,
  tooManyQubits,
} from './circuit-limits.ts';
import type { Bit } from './classical-expression.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from './errors.ts';
import { type GateObject, TARGET_FIELDS, type TargetField } from './gate-object.ts';

/** Numbers of qubits that an operation takes. */
export interface OperandShape {
  readonly name: string;
  /** Own controls; further ones are allowed if `takesControls`. */
  readonly numControls: number;
  /** A number, or a range for operations of any width. */
  readonly numTargets: number | { readonly min: number; readonly max: number };
  readonly takesControls: boolean;
}

/** Qubits of an operation, distinct and in range. */
interface Operands {
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
}

/** Targets as written: the field's name and its qubits. */
interface ListedTargets {
  readonly field: TargetField;
  readonly isList: boolean;
  readonly qubits: readonly Qubit[];
}

/** Name of the field that a fault mentions when an operation's targets are missing. */
function usualField(shape: OperandShape): TargetField {
  if (shape.numTargets !== 1) return shape.numControls > 0 ? 'targets' : 'qubits';
  return shape.numControls > 0 ? 'target' : 'qubit';
}

/** Register that operands are checked against. */
interface Register {
  readonly numQubits: number;
  readonly limits: CircuitLimits;
}

/** Reads operands and reports their faults. */
export class OperandReader {
  readonly #register: Register;
  readonly #faults: FaultList;
  /** For each qubit, the last object that named it, which finds repeats without one set per object. */
  readonly #lastUse: Int32Array;
  #use = 0;

  constructor(register: Register, faults: FaultList) {
    this.#register = register;
    this.#faults = faults;
    this.#lastUse = new Int32Array(Math.min(register.numQubits, register.limits.maxQubits));
  }

  /**
   * Returns the operands of a gate object; undefined after reporting its faults.
   *
   * @param path - Path of the object, for example `circuit[3]`.
   */
  read(object: GateObject, shape: OperandShape, path: string): Operands | undefined {
    const before = this.#faults.count;
    this.#use++;
    const controls = this.#controls(object, shape, path);
    const listed = this.#listedTargets(object, shape, path);
    const operands = listed && this.#assign(shape, controls, listed, path);
    return this.#faults.count === before ? operands : undefined;
  }

  /** Controls: `control` followed by `controls`, each qubit checked. */
  #controls(object: GateObject, shape: OperandShape, path: string): readonly Qubit[] {
    const { control, controls } = object;
    if (control === undefined && controls === undefined) return [];
    if (!shape.takesControls) {
      const field = control === undefined ? 'controls' : 'control';
      this.#faults.add(`${path}.${field}`, `${shape.name} takes no controls.`);
      return [];
    }
    if (control !== undefined) this.#check(control, path, 'control');
    if (controls !== undefined) this.#checkAll(controls, path, 'controls');
    if (control === undefined) return controls ?? [];
    return controls === undefined ? [control] : [control, ...controls];
  }

  /** Targets from the one field given, each qubit checked. */
  #listedTargets(object: GateObject, shape: OperandShape, path: string): ListedTargets | undefined {
    let listed: ListedTargets | undefined;
    for (const field of TARGET_FIELDS) {
      const value = object[field];
      if (value === undefined) continue;
      if (listed !== undefined) {
        this.#faults.add(
          `${path}.${field}`,
          `\`${listed.field}\` and \`${field}\` are both given; write the targets in one of them.`,
        );
        return undefined;
      }
      listed =
        typeof value === 'number'
          ? { field, isList: false, qubits: [value] }
          : { field, isList: true, qubits: value };
    }
    if (listed === undefined) {
      if (shape.numTargets === 0) return { field: 'qubits', isList: true, qubits: [] };
      const field = usualField(shape);
      this.#faults.add(`${path}.${field}`, `${shape.name} needs \`${field}\`.`);
      return undefined;
    }
    if (listed.isList) this.#checkAll(listed.qubits, path, listed.field);
    else this.#check(listed.qubits[0]!, path, listed.field);
    return listed;
  }

  /** Separates the gate's own controls from its targets. */
  #assign(
    shape: OperandShape,
    controls: readonly Qubit[],
    listed: ListedTargets,
    path: string,
  ): Operands | undefined {
    const { name, numControls, numTargets } = shape;
    const { qubits } = listed;
    const place = `${path}.${listed.field}`;
    if (typeof numTargets !== 'number') {
      const { min, max } = numTargets;
      if (qubits.length >= min && qubits.length <= max) return { controls, targets: qubits };
      const range =
        max === Infinity ? `at least ${counted(min, 'qubit')}` : `${min} to ${max} qubits`;
      const problem = `${name} acts on ${range}, but \`${listed.field}\` names ${qubits.length}.`;
      this.#faults.add(place, problem, qubits.length > max ? LIMIT_EXCEEDED : undefined);
      return undefined;
    }
    if (numControls > 0 && qubits.length === numControls + numTargets) {
      const own = qubits.slice(0, numControls);
      return {
        controls: controls.length === 0 ? own : [...own, ...controls],
        targets: qubits.slice(numControls),
      };
    }
    if (qubits.length === numTargets) {
      if (controls.length >= numControls) return { controls, targets: qubits };
      const field = numControls === 1 ? 'control' : 'controls';
      const needs = `${name} needs ${counted(numControls, 'control')}`;
      this.#faults.add(`${path}.${field}`, `${needs}; found ${controls.length}.`);
      return undefined;
    }
    this.#faults.add(place, this.#wrongCount(shape, numTargets, qubits.length, listed.field));
    return undefined;
  }

  #wrongCount(shape: OperandShape, numTargets: number, found: number, field: string): string {
    const { name, numControls } = shape;
    if (numTargets === 0) return `${name} has no targets; name its qubits in \`controls\`.`;
    const names = `\`${field}\` names ${found}`;
    if (numControls === 0 && numTargets === 1) {
      return `${name} acts on one qubit and ${names}; write one object for each qubit.`;
    }
    const targets = counted(numTargets, 'target');
    if (numControls === 0) return `${name} has ${targets}, but ${names}.`;
    return `${name} has ${counted(numControls, 'control')} and ${targets}, but ${names}.`;
  }

  #checkAll(qubits: readonly Qubit[], path: string, field: string): void {
    for (let i = 0; i < qubits.length; i++) this.#check(qubits[i]!, path, field, i);
  }

  /** Reports an invalid qubit: not a whole number, out of range, or named twice by this object. */
  #check(qubit: Qubit, path: string, field: string, position?: number): void {
    if (
      Number.isInteger(qubit) &&
      qubit >= 0 &&
      qubit < this.#register.numQubits &&
      this.#lastUse[qubit] !== this.#use
    ) {
      this.#lastUse[qubit] = this.#use;
      return;
    }
    const place = position === undefined ? `${path}.${field}` : `${path}.${field}[${position}]`;
    const { numQubits, limits } = this.#register;
    if (!Number.isInteger(qubit) || qubit < 0) {
      this.#faults.add(place, `${qubit} is not a qubit; qubits are whole numbers from 0.`);
    } else if (qubit >= numQubits && numQubits >= limits.maxQubits) {
      const what = `Qubit ${qubit} needs ${counted(qubit + 1, 'qubit')}`;
      this.#faults.add(place, tooManyQubits(what, qubit + 1, limits), LIMIT_EXCEEDED);
    } else if (qubit >= numQubits) {
      const range = numQubits === 1 ? '(0)' : `(0 to ${numQubits - 1})`;
      const has = `the circuit has ${counted(numQubits, 'qubit')} ${range}`;
      this.#faults.add(place, `Qubit ${qubit}, but ${has}; qubits count from 0.`);
    } else {
      this.#faults.add(place, `Qubit ${qubit} is named twice; a gate acts on different qubits.`);
    }
  }
}

/** Tracks which classical bits measurements have written, and checks conditions against them. */
export class WrittenBits {
  readonly #faults: FaultList;
  readonly #written = new Set<Bit>();
  #numBits = 0;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  /** One past the highest bit written so far. */
  get numBits(): number {
    return this.#numBits;
  }

  /** The next `count` bits after the highest one written so far. */
  nextFree(count: number): readonly Bit[] {
    return Array.from({ length: count }, (_, i) => this.#numBits + i);
  }

  /**
   * Records the bits that a measurement writes, and reports invalid ones.
   *
   * @param path - Path of the list of bits, for example `circuit[3].bits`.
   */
  write(bits: readonly Bit[], path: string): void {
    const seen = new Set<Bit>();
    for (const [i, bit] of bits.entries()) {
      const place = `${path}[${i}]`;
      if (!Number.isInteger(bit) || bit < 0) {
        this.#faults.add(place, `${bit} is not a bit; bits are whole numbers from 0.`);
      } else if (bit >= MAX_CLASSICAL_BITS) {
        const limit = `the limit is ${MAX_CLASSICAL_BITS} classical bits`;
        this.#faults.add(place, `Bit ${bit} needs ${bit + 1} bits; ${limit}.`, LIMIT_EXCEEDED);
      } else if (seen.has(bit)) {
        this.#faults.add(place, `Bit ${bit} is named twice.`);
      } else {
        seen.add(bit);
        this.#written.add(bit);
        this.#numBits = Math.max(this.#numBits, bit + 1);
      }
    }
  }

  /**
   * Whether a condition reads distinct bits that are already written, and a value that they can have; reports
   * every fault otherwise.
   *
   * @param path - Path of the condition, for example `circuit[3].condition`.
   */
  check({ bits, value }: Condition, path: string): boolean {
    const before = this.#faults.count;
    if (bits.length > MAX_CONDITION_BITS) {
      const limit = `the limit for one condition is ${MAX_CONDITION_BITS}`;
      this.#faults.add(`${path}.bits`, `${bits.length} bits; ${limit}.`, LIMIT_EXCEEDED);
      return false;
    }
    if (bits.length === 0) this.#faults.add(`${path}.bits`, 'A condition reads at least one bit.');
    const seen = new Set<Bit>();
    for (const [i, bit] of bits.entries()) {
      if (!this.#written.has(bit)) {
        const problem = `Bit ${bit} is not written by an earlier measurement.`;
        this.#faults.add(`${path}.bits[${i}]`, problem);
      } else if (seen.has(bit)) {
        this.#faults.add(`${path}.bits[${i}]`, `Bit ${bit} is named twice.`);
      }
      seen.add(bit);
    }
    const highest = 2 ** bits.length - 1;
    if (!Number.isInteger(value) || value < 0 || value > highest) {
      const range = `${counted(bits.length, 'bit')} can read whole numbers from 0 to ${highest}`;
      this.#faults.add(`${path}.value`, `${value} is never read; ${range}.`);
    }
    return this.#faults.count === before;
  }
}
