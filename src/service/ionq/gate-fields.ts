/** Fields of one gate in IonQ's form. Each is checked when it is read, and a fault names its path. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { FaultList } from '../../circuit/errors.ts';

/** Unit of a number, for messages; undefined for a number that is no angle. */
type Unit = 'radians' | 'turns' | undefined;

/** Reader of a gate's fields. */
export class GateFields {
  /** Qubits that the gate acts on, as far as they were read. */
  readonly qubits = new Set<Qubit>();
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #isObject: boolean;
  readonly #path: string;
  readonly #numQubits: number | undefined;
  readonly #faults: FaultList;

  /**
   * @param entry - The gate as it was sent.
   * @param path - Path of the gate.
   * @param numQubits - Number of qubits of the circuit, if it is known.
   */
  constructor(entry: unknown, path: string, numQubits: number | undefined, faults: FaultList) {
    const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
    this.#isObject = isObject;
    // The cast is safe: any object may be read by name.
    this.#fields = isObject ? (entry as Readonly<Record<string, unknown>>) : {};
    this.#path = path;
    this.#numQubits = numQubits;
    this.#faults = faults;
    if (!isObject) this.fault('', 'A gate is an object such as {"gate": "h", "target": 0}.');
  }

  /** Adds a fault; `field` is empty for the whole gate. */
  fault(field: string, message: string): void {
    this.#faults.add(field === '' ? this.#path : `${this.#path}.${field}`, message);
  }

  /** Whether a field is given. Clients send null for one that is not. */
  has(field: string): boolean {
    return (this.#fields[field] ?? null) !== null;
  }

  /** The gate's name; undefined if it has none. */
  name(): string | undefined {
    const { gate } = this.#fields;
    if (typeof gate === 'string') return gate;
    if (!this.#isObject) return undefined;
    this.fault('gate', 'Required: the name of a gate.');
    return undefined;
  }

  /** Reads a number. */
  number(field: string, unit?: Unit): number | undefined {
    return this.#number(field, this.#fields[field], unit);
  }

  /** Reads a list of numbers. */
  numbers(field: string, unit?: Unit): readonly number[] | undefined {
    const list = this.#fields[field];
    if (!Array.isArray(list)) {
      this.fault(field, 'Required: a list of numbers.');
      return undefined;
    }
    const numbers = list.map((each, i) => this.#number(`${field}[${i}]`, each, unit));
    return numbers.every((each) => each !== undefined) ? numbers : undefined;
  }

  #number(field: string, value: unknown, unit?: Unit): number | undefined {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    const kind = unit === undefined ? 'a number' : `an angle in ${unit}, a number`;
    this.fault(field, (value ?? null) === null ? `Required: ${kind}.` : `Must be ${kind}.`);
    return undefined;
  }

  /** Reads a list of texts. */
  texts(field: string): readonly string[] | undefined {
    const list = this.#fields[field];
    if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
    this.fault(field, 'Required: a list of texts.');
    return undefined;
  }

  /**
   * Reads the targets, from `target` or `targets`.
   *
   * @returns Undefined if a qubit is missing, unknown or named twice.
   */
  targets(): readonly Qubit[] | undefined {
    const targets = this.#operands('target', 'targets');
    if (targets?.length !== 0) return targets;
    this.fault('targets', 'Required: the qubit that the gate acts on, as target or targets.');
    return undefined;
  }

  /** Reads the controls, from `control` or `controls`; none is an empty list. */
  controls(): readonly Qubit[] | undefined {
    return this.#operands('control', 'controls');
  }

  #operands(single: string, several: string): readonly Qubit[] | undefined {
    if (this.has(single) && this.has(several)) {
      this.fault(several, `Give either ${single} or ${several}, not both.`);
      return undefined;
    }
    if (this.has(single)) return this.#allQubits([[single, this.#fields[single]]]);
    if (!this.has(several)) return [];
    const list = this.#fields[several];
    if (Array.isArray(list))
      return this.#allQubits(list.map((each, i) => [`${several}[${i}]`, each]));
    this.fault(several, 'Must be a list of qubits.');
    return undefined;
  }

  #allQubits(fields: readonly (readonly [string, unknown])[]): readonly Qubit[] | undefined {
    const qubits = fields.map(([field, value]) => this.#qubit(field, value));
    return qubits.every((qubit) => qubit !== undefined) ? qubits : undefined;
  }

  #qubit(field: string, value: unknown): Qubit | undefined {
    const numQubits = this.#numQubits;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      this.fault(field, 'Must be a qubit, a whole number from 0.');
    } else if (numQubits !== undefined && value >= numQubits) {
      const known = numQubits === 1 ? 'qubit 0 only' : `qubits 0 to ${numQubits - 1}`;
      this.fault(field, `Must not be ${value}: the circuit has ${known}.`);
    } else if (this.qubits.has(value)) {
      this.fault(field, `Must not be ${value} again: the gate names that qubit twice.`);
    } else {
      this.qubits.add(value);
      return value;
    }
    return undefined;
  }
}
