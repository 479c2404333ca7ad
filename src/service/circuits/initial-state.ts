/**
 * Initial states of requests: read, checked, and made the first operations of a circuit.
 *
 * A basis or product state is made by gates without noise or duration, which every method takes. Any other state is
 * numbers that engines write.
 */
import { z } from 'zod';
import type { DynamicCircuit, DynamicOperation, PreparedState } from '../../circuit/circuit.ts';
import { MAX_CIRCUIT_QUBITS } from '../../circuit/circuit-limits.ts';
import { counted, type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { MAX_DENSITY_QUBITS } from '../../circuit/outputs.ts';
import { foundText } from '../../errors/wrong-values.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';

/** Deviation of a norm, a trace or an entry from its right value that is taken as rounding. */
const TOLERANCE = 1e-6;

const complexNumber = z.tuple([z.number(), z.number()]);
const label = (form: RegExp, what: string) => z.string().max(MAX_CIRCUIT_QUBITS).regex(form, what);

/** Field of requests, as documented. `readInitialState` checks it: zod would walk a million numbers. */
export const initialStateField = {
  initial_state: z
    .union([
      z.strictObject({
        basis: label(/^[01]+$/, 'must be bits, such as "0101"').describe(
          'Label of a basis state; qubit 0 is rightmost',
        ),
      }),
      z.strictObject({
        product: label(/^[01+\-rl]+$/, 'must be letters of 01+-rl, such as "0+"').describe(
          'A letter for each qubit, qubit 0 rightmost: |0⟩, |1⟩, |+⟩, |−⟩, r = (|0⟩ + i|1⟩)/√2, l = (|0⟩ − i|1⟩)/√2',
        ),
      }),
      z.strictObject({
        amplitudes: z
          .array(complexNumber)
          .describe('[re, im] of each basis state in ascending order; 2^n of them'),
      }),
      z.strictObject({
        dtype: z
          .enum(['<c16', '<c8'])
          .describe('Little-endian complex numbers of two 64-bit or two 32-bit floats'),
        data: z.string().describe('Base64 of the amplitudes'),
      }),
      z.strictObject({
        density_matrix: z
          .array(z.array(complexNumber))
          .describe(
            `Rows of [re, im], of up to ${MAX_DENSITY_QUBITS} qubits; for the method density_matrix`,
          ),
      }),
    ])
    .optional()
    .describe(
      'State that the circuit begins in, in place of |0…0⟩. A norm or a trace that differs from 1 by more than 1e-6 is refused, and a smaller difference is scaled away. A JSON circuit without `qubits` has as many qubits as the state. Not taken with `stim`',
    ),
};
export type InitialStateField = z.output<(typeof initialStateField)['initial_state']>;

/** A state that a circuit may begin in. */
export interface InitialState {
  readonly numQubits: number;
  /** The operations that make it of |0…0⟩. */
  readonly operations: readonly DynamicOperation[];
}

const FORMS = ['basis', 'product', 'amplitudes', 'data', 'density_matrix'] as const;
const FIELD = 'initial_state';

/**
 * Reads the field of a request; undefined after adding its faults.
 *
 * @param isStim - Whether the circuit is a text in Stim's format.
 */
export function readInitialState(
  value: unknown,
  isStim: boolean,
  faults: FaultList,
): InitialState | undefined {
  if (isStim) {
    faults.add(FIELD, 'Not taken with stim: the text prepares its states itself.');
    return undefined;
  }
  const fields: Readonly<Record<string, unknown>> = isJsonObject(value) ? value : {};
  const [form, other] = FORMS.filter((name) => name in fields);
  const allowed: readonly string[] = form === 'data' ? ['dtype', 'data'] : form ? [form] : FORMS;
  const unknown = Object.keys(fields).find((name) => !allowed.includes(name));
  if (form === undefined || other !== undefined || unknown !== undefined) {
    const problem =
      'Give one of {"basis": "01"}, {"product": "0+"}, {"amplitudes": [[re, im], …]}, {"dtype": "<c16", "data": "…"} and {"density_matrix": [[[re, im], …], …]}.';
    faults.add(unknown === undefined ? FIELD : `${FIELD}.${unknown}`, problem);
    return undefined;
  }
  const reader = new StateReader(faults);
  switch (form) {
    case 'basis':
    case 'product':
      return reader.product(form, fields[form]);
    case 'amplitudes':
      return reader.pure(form, reader.complexList(`${FIELD}.${form}`, fields[form]));
    case 'data':
      return reader.pure(form, reader.binary(fields['dtype'], fields['data']));
    case 'density_matrix':
      return reader.mixed(fields[form]);
  }
}

/** The circuit with its initial state; undefined after adding a fault where their qubits differ. */
export function begunIn<C extends DynamicCircuit>(
  circuit: C,
  { numQubits, operations }: InitialState,
  faults: FaultList,
): DynamicCircuit | undefined {
  if (circuit.numQubits !== numQubits) {
    const problem = `A state of ${counted(numQubits, 'qubit')}, and the circuit has ${circuit.numQubits}.`;
    faults.add(FIELD, problem);
    return undefined;
  }
  return { ...circuit, operations: [...operations, ...circuit.operations] };
}

const GATES_OF: Readonly<Record<string, readonly string[]>> = {
  '0': [],
  '1': ['X'],
  '+': ['H'],
  '-': ['X', 'H'],
  r: ['H', 'S'],
  l: ['H', 'SDG'],
};

class StateReader {
  readonly #faults: FaultList;

  constructor(faults: FaultList) {
    this.#faults = faults;
  }

  product(form: 'basis' | 'product', value: unknown): InitialState | undefined {
    const letters = form === 'basis' ? '01' : '01+-rl';
    const path = `${FIELD}.${form}`;
    if (typeof value !== 'string' || value === '') {
      this.#fault(
        path,
        `A text with one of the letters ${letters} for each qubit, not ${foundText(value)}.`,
      );
      return undefined;
    }
    if (value.length > MAX_CIRCUIT_QUBITS) {
      this.#fault(
        path,
        `${value.length} qubits; the limit is ${MAX_CIRCUIT_QUBITS}.`,
        LIMIT_EXCEEDED,
      );
      return undefined;
    }
    const wrong = [...value].findIndex((letter) => !letters.includes(letter));
    if (wrong >= 0) {
      this.#fault(
        path,
        `Letter ${wrong} is ${foundText(value[wrong])}; each is one of ${letters}.`,
      );
      return undefined;
    }
    const operations = [...value].toReversed().flatMap((letter, qubit) =>
      GATES_OF[letter]!.map(
        (gate): DynamicOperation => ({
          kind: 'gate',
          gate,
          controls: [],
          targets: [qubit],
          angles: [],
          role: 'opening',
        }),
      ),
    );
    return { numQubits: value.length, operations };
  }

  /** A list of [re, im], interleaved. */
  complexList(path: string, value: unknown): Float64Array | undefined {
    if (!Array.isArray(value)) {
      this.#fault(path, `A list of [re, im], not ${foundText(value)}.`);
      return undefined;
    }
    const numbers = new Float64Array(2 * value.length);
    for (const [i, entry] of value.entries()) {
      const [re, im]: readonly unknown[] = Array.isArray(entry) && entry.length === 2 ? entry : [];
      if (typeof re !== 'number' || typeof im !== 'number') {
        this.#fault(`${path}[${i}]`, `A complex number is [re, im], not ${foundText(entry)}.`);
        return undefined;
      }
      numbers[2 * i] = re;
      numbers[2 * i + 1] = im;
    }
    return numbers;
  }

  binary(dtype: unknown, data: unknown): Float64Array | undefined {
    if (dtype !== '<c16' && dtype !== '<c8') {
      this.#fault(`${FIELD}.dtype`, `"<c16" or "<c8", not ${foundText(dtype)}.`);
      return undefined;
    }
    if (typeof data !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) {
      this.#fault(`${FIELD}.data`, 'This is not base64: it is no text, or has other characters.');
      return undefined;
    }
    const { buffer, byteLength } = Uint8Array.from(Buffer.from(data, 'base64'));
    const each = dtype === '<c16' ? 16 : 8;
    if (byteLength % each !== 0) {
      this.#fault(`${FIELD}.data`, `${byteLength} bytes, which are no whole number of ${dtype}.`);
      return undefined;
    }
    return dtype === '<c16'
      ? new Float64Array(buffer)
      : Float64Array.from(new Float32Array(buffer));
  }

  pure(form: 'amplitudes' | 'data', numbers: Float64Array | undefined): InitialState | undefined {
    if (numbers === undefined) return undefined;
    const path = `${FIELD}.${form}`;
    const numQubits = this.#qubitsOf(path, numbers.length / 2, 'amplitudes');
    if (numQubits === undefined) return undefined;
    const norm = Math.sqrt(numbers.reduce((sum, part) => sum + part * part, 0));
    // Written so that NaN is refused.
    if (!(Math.abs(norm - 1) <= TOLERANCE)) {
      this.#fault(path, `The norm is ${norm}; it must be 1 within ${TOLERANCE}.`);
      return undefined;
    }
    return given(numQubits, { kind: 'pure', amplitudes: numbers.map((part) => part / norm) });
  }

  mixed(value: unknown): InitialState | undefined {
    const path = `${FIELD}.density_matrix`;
    if (!Array.isArray(value)) {
      this.#fault(path, `Rows of [re, im], not ${foundText(value)}.`);
      return undefined;
    }
    const d = value.length;
    const numQubits = this.#qubitsOf(path, d, 'rows');
    if (numQubits === undefined) return undefined;
    if (numQubits > MAX_DENSITY_QUBITS) {
      const problem = `${numQubits} qubits; the limit of a density matrix in a request is ${MAX_DENSITY_QUBITS}.`;
      this.#fault(path, problem, LIMIT_EXCEEDED);
      return undefined;
    }
    const entries = new Float64Array(2 * d * d);
    for (const [row, list] of value.entries()) {
      const numbers = this.complexList(`${path}[${row}]`, list);
      if (numbers === undefined) return undefined;
      if (numbers.length !== 2 * d) {
        this.#fault(`${path}[${row}]`, `${numbers.length / 2} entries in a matrix of ${d} rows.`);
        return undefined;
      }
      entries.set(numbers, 2 * d * row);
    }
    const problem = problemOfDensity(entries, d);
    if (problem !== undefined) {
      this.#fault(path, problem);
      return undefined;
    }
    return given(numQubits, { kind: 'mixed', entries: hermitianOfTraceOne(entries, d) });
  }

  #qubitsOf(path: string, length: number, what: string): number | undefined {
    const numQubits = Math.log2(length);
    if (Number.isInteger(numQubits) && numQubits >= 1) return numQubits;
    this.#fault(path, `${length} ${what}; a state of n qubits has 2^n of them.`);
    return undefined;
  }

  #fault(path: string, message: string, code?: string): void {
    this.#faults.add(path, message, code);
  }
}

function given(numQubits: number, state: PreparedState): InitialState {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return { numQubits, operations: [{ kind: 'initialize', qubits, state }] };
}

/** What keeps a square matrix, row-major, from being a density matrix. */
function problemOfDensity(entries: Float64Array, d: number): string | undefined {
  let trace = 0;
  for (let row = 0; row < d; row++) {
    trace += entries[2 * row * (d + 1)]!;
    for (let column = 0; column <= row; column++) {
      const [at, mirrored] = [2 * (row * d + column), 2 * (column * d + row)];
      const re = entries[at]! - entries[mirrored]!;
      const im = entries[at + 1]! + entries[mirrored + 1]!;
      if (!(Math.hypot(re, im) <= TOLERANCE)) {
        return `It is not Hermitian: entry (${row}, ${column}) is not the conjugate of (${column}, ${row}).`;
      }
    }
  }
  if (!(Math.abs(trace - 1) <= TOLERANCE)) {
    return `The trace is ${trace}; it must be 1 within ${TOLERANCE}.`;
  }
  return hasCholeskyFactor(entries, d) ? undefined : 'It has a negative eigenvalue.';
}

/**
 * Whether a Hermitian matrix has no eigenvalue below about −1e-6: then it has a Cholesky factor once that is added to
 * its diagonal.
 */
function hasCholeskyFactor(entries: Float64Array, d: number): boolean {
  const factor = new Float64Array(entries.length);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column <= row; column++) {
      let re = entries[2 * (row * d + column)]!;
      let im = entries[2 * (row * d + column) + 1]!;
      for (let k = 0; k < column; k++) {
        const [a, b] = [2 * (row * d + k), 2 * (column * d + k)];
        re -= factor[a]! * factor[b]! + factor[a + 1]! * factor[b + 1]!;
        im -= factor[a + 1]! * factor[b]! - factor[a]! * factor[b + 1]!;
      }
      const at = 2 * (row * d + column);
      if (row === column) {
        if (!(re + TOLERANCE > 0)) return false;
        factor[at] = Math.sqrt(re + TOLERANCE);
      } else {
        const pivot = factor[2 * column * (d + 1)]!;
        factor[at] = re / pivot;
        factor[at + 1] = im / pivot;
      }
    }
  }
  return true;
}

/** The matrix without what rounding has left of an anti-Hermitian part, and of trace 1. */
function hermitianOfTraceOne(entries: Float64Array, d: number): Float64Array {
  let trace = 0;
  for (let row = 0; row < d; row++) trace += entries[2 * row * (d + 1)]!;
  return entries.map((part, i) => {
    const at = i >> 1;
    const mirrored = 2 * ((at % d) * d + Math.floor(at / d));
    const other = i % 2 === 0 ? entries[mirrored]! : -entries[mirrored + 1]!;
    return (part + other) / (2 * trace);
  });
}
