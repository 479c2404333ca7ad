/** Reads SAVE objects: snapshots of a circuit in JSON. */
import { readBasisStates } from './basis-states.ts';
import type { Qubit, SavedOutput, SaveOperation } from './circuit.ts';
import { counted, type FaultList, InvalidCircuitError, LIMIT_EXCEEDED } from './errors.ts';
import { type GateObject, TARGET_FIELDS } from './gate-object.ts';
import { parseObservables } from './observable.ts';
import { factsOf, MAX_BASIS_STATES, outputsOf } from './outputs.ts';

/** Most snapshots of a circuit. */
const MAX_SAVES = 4096;
/** Most Pauli terms in all snapshots of a circuit. */
const MAX_SAVED_TERMS = 100_000;
/** Characters of a label. */
const MAX_LABEL_LENGTH = 128;

/** Outputs that a snapshot may be. */
const SAVED = outputsOf('save');

/** Field that belongs to each output; `qubits` are all unless given. */
const OWN_FIELD = {
  expectation: 'observables',
  amplitudes: 'basis_states',
  probabilities: 'qubits',
  density_matrix: 'qubits',
  statevector: undefined,
} as const satisfies Readonly<Record<SavedOutput['what'], keyof GateObject | undefined>>;

const examples = {
  observables: '[{"pauli": "Z0 Z1"}]',
  basis_states: '["00", "11"]',
} as const;

/** Reads the snapshots of one circuit, in order. */
export class SaveReader {
  readonly #numQubits: number;
  readonly #faults: FaultList;
  #numSaves = 0;
  #numTerms = 0;

  constructor(numQubits: number, faults: FaultList) {
    this.#numQubits = numQubits;
    this.#faults = faults;
  }

  /**
   * Returns the snapshot; undefined after reporting its faults.
   *
   * @param readQubits - Reads the qubits that the object names.
   */
  read(
    object: GateObject,
    index: number,
    path: string,
    allQubits: readonly Qubit[],
    readQubits: () => readonly Qubit[] | undefined,
  ): SaveOperation | undefined {
    const before = this.#faults.count;
    const { label, what } = object;
    if (object.condition !== undefined) {
      const problem = 'SAVE takes no condition: it saves the state of all shots.';
      this.#faults.add(`${path}.condition`, problem);
    }
    for (const field of ['control', 'controls'] as const) {
      if (object[field] !== undefined)
        this.#faults.add(`${path}.${field}`, 'SAVE takes no controls.');
    }
    this.#checkLabel(label, path);
    if (++this.#numSaves === MAX_SAVES + 1) {
      const problem = `The circuit has more than ${MAX_SAVES} snapshots, which is the limit.`;
      this.#faults.add(path, problem, LIMIT_EXCEEDED);
    }
    const named = SAVED.find((name) => name === what);
    if (named === undefined) {
      const given =
        what === undefined
          ? 'Missing'
          : `${JSON.stringify(what.slice(0, 40))} is no output of a snapshot`;
      this.#faults.add(`${path}.what`, `${given}; SAVE takes ${SAVED.join(', ')}.`);
      return undefined;
    }
    this.#checkFields(object, named, path);
    const output = this.#output(object, named, path, allQubits, readQubits);
    if (output === undefined || label === undefined || this.#faults.count > before)
      return undefined;
    return { kind: 'save', qubits: allQubits, label, index, output };
  }

  #checkLabel(label: string | undefined, path: string): void {
    const place = `${path}.label`;
    if (label === undefined) {
      this.#faults.add(place, 'Missing; SAVE needs a label, by which the answer names it.');
    } else if (label.length === 0 || label.length > MAX_LABEL_LENGTH) {
      const problem = `${counted(label.length, 'character')}; a label has 1 to ${MAX_LABEL_LENGTH}.`;
      this.#faults.add(place, problem);
    }
  }

  /** Reports fields of other outputs. */
  #checkFields(object: GateObject, what: SavedOutput['what'], path: string): void {
    const own = OWN_FIELD[what];
    for (const field of ['observables', 'basis_states', ...TARGET_FIELDS] as const) {
      if (object[field] === undefined || field === own) continue;
      if (own === 'qubits' && TARGET_FIELDS.some((name) => name === field)) continue;
      const takes = own === undefined ? 'no such field' : own;
      this.#faults.add(`${path}.${field}`, `SAVE of ${what} takes ${takes}.`);
    }
  }

  #output(
    object: GateObject,
    what: SavedOutput['what'],
    path: string,
    allQubits: readonly Qubit[],
    readQubits: () => readonly Qubit[] | undefined,
  ): SavedOutput | undefined {
    const hasQubits = TARGET_FIELDS.some((field) => object[field] !== undefined);
    const own = OWN_FIELD[what];
    if (own === 'observables' || own === 'basis_states') {
      if ((object[own] ?? []).length === 0) {
        const problem = `Missing; SAVE of ${what} needs \`${own}\`, for example ${examples[own]}.`;
        this.#faults.add(`${path}.${own}`, problem);
        return undefined;
      }
    }
    switch (what) {
      case 'statevector':
        return { what };
      case 'probabilities':
      case 'density_matrix': {
        const of = hasQubits && own === 'qubits' ? readQubits() : allQubits;
        return of && this.#limited(what, of, path);
      }
      case 'amplitudes': {
        const labels = object.basis_states!;
        if (labels.length > MAX_BASIS_STATES) {
          const problem = `${labels.length} basis states; the limit is ${MAX_BASIS_STATES}.`;
          this.#faults.add(`${path}.basis_states`, problem, LIMIT_EXCEEDED);
          return undefined;
        }
        const place = `${path}.basis_states`;
        return { what, basisStates: readBasisStates(labels, this.#numQubits, this.#faults, place) };
      }
      case 'expectation':
        return this.#expectation(object, path);
    }
  }

  #expectation({ observables = [] }: GateObject, path: string): SavedOutput | undefined {
    const place = `${path}.observables`;
    const before = this.#numTerms;
    for (const each of observables) this.#numTerms += Array.isArray(each) ? each.length : 1;
    if (this.#numTerms > MAX_SAVED_TERMS) {
      if (before > MAX_SAVED_TERMS) return undefined;
      const problem = `${this.#numTerms} Pauli terms in all snapshots up to here; the limit is ${MAX_SAVED_TERMS}.`;
      this.#faults.add(place, problem, LIMIT_EXCEEDED);
      return undefined;
    }
    try {
      const sums = parseObservables(observables, this.#numQubits, place);
      return { what: 'expectation', observables: sums };
    } catch (error) {
      if (!(error instanceof InvalidCircuitError)) throw error;
      for (const fault of error.faults) this.#faults.add(fault.path, fault.message, fault.code);
      return undefined;
    }
  }

  /** Checks the number of qubits of a distribution before anything is as long as it. */
  #limited(
    what: 'probabilities' | 'density_matrix',
    of: readonly Qubit[],
    path: string,
  ): SavedOutput | undefined {
    const { limit } = factsOf(what);
    if (limit === undefined || of.length <= limit.most) return { what, of };
    const problem = `${what} of ${counted(of.length, 'qubit')}; the limit for a JSON answer is ${limit.most}. Name fewer in \`qubits\`.`;
    this.#faults.add(path, problem, LIMIT_EXCEEDED);
    return undefined;
  }
}
