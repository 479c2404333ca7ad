/** Texts of a sweep: the circuit as JSON or OpenQASM with the inputs that it declares, and the observables. */
import type { BatchProgramInput } from '../../client/api-types.ts';

type Circuit = NonNullable<BatchProgramInput['circuit']>;

/** A circuit as a program of a batch takes it. */
export type CircuitFields =
  | { readonly circuit: Circuit; readonly qubits?: number }
  | { readonly qasm: string };

/** A text that is JSON, or else OpenQASM. @throws {SyntaxError} if it begins as JSON and is none. */
export function circuitOfText(text: string): CircuitFields {
  if (!/^\s*[[{]/.test(text)) return { qasm: text };
  const read: unknown = JSON.parse(text);
  const circuit = Array.isArray(read) ? read : Reflect.get(Object(read), 'circuit');
  if (!Array.isArray(circuit)) {
    throw new SyntaxError(
      'The JSON is neither a list of gates nor an object with the field circuit.',
    );
  }
  const qubits: unknown = Array.isArray(read) ? undefined : Reflect.get(Object(read), 'qubits');
  // The service checks each gate and answers with the path of what is wrong.
  return { circuit, ...(typeof qubits === 'number' && { qubits }) };
}

/** Names of the inputs that a circuit has, in the order in which they appear. */
export function inputsOf(text: string): readonly string[] {
  try {
    const fields = circuitOfText(text);
    return [
      ...new Set('qasm' in fields ? inputsOfQasm(fields.qasm) : inputsOfJson(fields.circuit)),
    ];
  } catch {
    return [];
  }
}

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//g;
const DECLARATION = /(?:^|[;}])\s*input\s+\w+(?:\s*\[[^\]]*\])?\s+([\p{L}_][\p{L}\w]*)\s*(?=;)/gu;

function inputsOfQasm(qasm: string): readonly string[] {
  const found = qasm.replaceAll(COMMENT, ' ').matchAll(DECLARATION);
  return Array.from(found, ([, name = '']) => name);
}

/** Names of the inputs in `{"input": "a"}`, wherever they stand. */
function inputsOfJson(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own: unknown = Reflect.get(value, 'input');
  if (typeof own === 'string') return [own];
  return Object.values(value).flatMap(inputsOfJson);
}

/** The circuit of the parameter `circuit` of an address: the text itself, or its UTF-8 in base64url. */
export function circuitOfParameter(parameter: string): string {
  if (!/^[\w-]+$/.test(parameter)) return parameter;
  try {
    const bytes = Uint8Array.from(
      atob(parameter.replaceAll('-', '+').replaceAll('_', '/')),
      (letter) => letter.charCodeAt(0),
    );
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return parameter;
  }
}

/** A Pauli string with its coefficient, as the service takes it. */
interface Term {
  readonly pauli: string;
  readonly coefficient: number;
}

export interface Observable {
  readonly label: string;
  readonly terms: readonly Term[];
}

const NAMED = /^\s*([\p{L}_][\p{L}\w]*)\s*=\s*(.*)$/u;
const TERM =
  /\s*([+-]?)\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*\*?\s*)?((?:[XYZ]\s*\d+\s*|I\s*(?:\d+\s*)?)*)/iy;
const LONGEST_LABEL = 28;

/**
 * Reads lines such as `Z0 Z1`, `0.5*X0 - 0.25*Z0 Z1 + 1` and `energy = …`. Empty lines are left out.
 *
 * @throws {SyntaxError} that names the first line that is no such sum, or a label that stands twice.
 */
export function observablesOf(text: string): readonly Observable[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const observables = lines.map((line, i) => {
    const [, name, sum = line] = NAMED.exec(line) ?? [];
    const short = sum.trim().length <= LONGEST_LABEL ? sum.trim() : `observable ${i + 1}`;
    return { label: name ?? short, terms: termsOf(sum) };
  });
  const labels = observables.map(({ label }) => label);
  const twice = labels.find((label, i) => labels.indexOf(label) < i);
  if (twice !== undefined) throw new SyntaxError(`"${twice}" stands twice.`);
  return observables;
}

function termsOf(sum: string): readonly Term[] {
  const terms: Term[] = [];
  TERM.lastIndex = 0;
  for (let at = 0; at < sum.trimEnd().length; at = TERM.lastIndex) {
    const [whole = '', sign, number, paulis = ''] = TERM.exec(sum) ?? [];
    const hasSign = sign !== '' || terms.length === 0;
    if (whole.trim() === '' || !hasSign || (number === undefined && paulis.trim() === '')) {
      throw noSum(sum);
    }
    const factors = paulis.toUpperCase().match(/[XYZ]\s*\d+/g) ?? ['I'];
    terms.push({
      pauli: factors.map((factor) => factor.replace(/\s+/g, '')).join(' '),
      coefficient: (sign === '-' ? -1 : 1) * Number(number ?? 1),
    });
  }
  if (terms.length === 0) throw noSum(sum);
  return terms;
}

function noSum(text: string): SyntaxError {
  return new SyntaxError(
    `"${text.trim()}" is not a sum of Pauli strings, such as "0.5*Z0 Z1 - X0".`,
  );
}
