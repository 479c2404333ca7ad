/**
 * Content hash of a program: SHA-256 of everything in it, so that equal programs have equal hashes, whichever
 * circuit they came from.
 *
 * The encoding consists of arrays in a fixed order, because the order in which an object's properties were
 * written is not part of a program. It begins with a version, which must be raised when the meaning of a
 * kernel or step changes.
 */
import type { Condition } from '../circuit/circuit.ts';
import { sha256 } from '../math/sha256.ts';
import type { Kernel, Program, Step } from './program.ts';

const ENCODING_VERSION = 2;

/** The part of Node's hash objects that this file uses. */
interface Sha256 {
  update(data: string | Uint8Array): Sha256;
  copy(): Sha256;
  digest(encoding: 'hex'): string;
}

/**
 * Node's crypto, if there is one. Requested at run time rather than imported, because browsers compile
 * circuits too; they know no `process`, or have one that a bundler made.
 */
const nodeCrypto: { createHash(algorithm: 'sha256'): Sha256 } | undefined = Reflect.get(
  globalThis,
  'process',
)?.getBuiltinModule?.('node:crypto');

/** Hash of a program, 64 hex digits. */
export function hashProgram(program: Omit<Program, 'hash'>): string {
  return programHasher(program)(program.matrices);
}

/** The hash as a function of the matrices, for programs that have all else in common. */
export function programHasher(
  program: Omit<Program, 'hash' | 'matrices'>,
): (matrices: Float64Array) => string {
  const { numQubits, numBits, control, steps, finalLayout, isUnitary, startsAnywhere } = program;
  const structure: unknown[] = [
    ENCODING_VERSION,
    numQubits,
    numBits,
    steps.map(encodeStep),
    finalLayout,
  ];
  if (control !== undefined) structure.push([control.numScratchBits, control.maxRounds]);
  if (isUnitary === false) structure.push('not unitary');
  if (startsAnywhere === true) structure.push('starts anywhere');
  const text = JSON.stringify(structure);
  if (nodeCrypto === undefined) return (matrices) => sha256Of(text, bytesOf(matrices));
  const begun = nodeCrypto.createHash('sha256').update(text);
  return (matrices) => begun.copy().update(bytesOf(matrices)).digest('hex');
}

const digestOf = (numbers: Float64Array): string =>
  nodeCrypto?.createHash('sha256').update(bytesOf(numbers)).digest('hex') ??
  sha256(bytesOf(numbers));

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function sha256Of(text: string, entries: Uint8Array): string {
  const encoded = new TextEncoder().encode(text);
  const message = new Uint8Array(encoded.length + entries.length);
  message.set(encoded);
  message.set(entries, encoded.length);
  return sha256(message);
}

function encodeStep(step: Step): unknown {
  const condition = encodeCondition(step.condition);
  switch (step.kind) {
    case 'sweep':
      return [
        'sweep',
        step.resident,
        step.kernels.map(encodeKernel),
        step.store ?? null,
        condition,
      ];
    case 'measure':
      return ['measure', step.qubits, step.bits, condition];
    case 'initialize': {
      const { kind, ...numbers } = step.state;
      return ['initialize', step.places, kind, ...Object.values(numbers).map(digestOf)];
    }
    case 'save': {
      const { qubits, output } = step;
      const numbers = (_: string, value: unknown) =>
        typeof value === 'bigint' ? `${value}` : value;
      return ['save', qubits, JSON.stringify(output, numbers)];
    }
    case 'probing':
      return ['probing', step.probes.map(encodeKernel)];
    case 'exchange':
      return ['exchange', step.pairs];
    case 'reset':
      return ['reset', step.qubits, condition];
    case 'assign':
      // One function makes all expressions, so equal ones have their properties in one order.
      return ['assign', step.bits, step.value, condition];
    case 'misread':
      return ['misread', step.bits, step.p1Given0, step.p0Given1, condition];
    case 'loop':
      return ['loop', step.end, condition];
    case 'again':
      return ['again', step.head];
  }
}

function encodeKernel(kernel: Kernel): unknown {
  const { kind, targets, controls } = kernel;
  if (kernel.kind === 'probe')
    return [kind, targets, controls, kernel.ancilla ?? null, kernel.sums];
  const { offset } = kernel;
  if (kernel.kind === 'map') return [kind, targets, controls, offset, kernel.rows, kernel.rest];
  return [kind, targets, controls, offset, kernel.kind === 'permutation' ? kernel.rows : null];
}

function encodeCondition(condition: Condition | undefined): unknown {
  return condition === undefined ? null : [condition.bits, condition.value];
}
