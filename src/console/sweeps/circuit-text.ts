/** The text of a parametric circuit: gates as JSON or OpenQASM, and the inputs that it declares. */
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
