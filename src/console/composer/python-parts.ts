/** What the Python programs of all frameworks have in common. */
import type { GateAngle, MatrixRows } from '../live-state/messages.ts';
import type { EditedCircuit, Step } from './edited-circuit.ts';
import { type AngleName, anglesOf } from './gate-table.ts';
import { angleText, numberText } from './python-angles.ts';

export type Framework = 'Qiskit' | 'Cirq' | 'PennyLane';

/** Noise, or a condition, that a framework cannot express in this form. */
export class UnwritableGateError extends Error {
  override readonly name = 'UnwritableGateError';

  constructor(framework: Framework, step: Step, why = 'has no such gate') {
    super(`${framework} ${why}: ${'C'.repeat(step.controls.length)}${step.name}.`);
  }
}

/** Why a measurement or a reset under a condition is refused. */
export const UNCONDITIONAL = 'has no condition for this operation';

/** Values of inputs, by their names. */
export interface Values {
  readonly [input: string]: number;
}

/** Where the key of a run at the service comes from. */
export const KEY_NOTE = '# The key is read from the environment variable QCS_API_KEY.';

/** Angles as texts, in the order of the gate's parameters. */
export function anglesIn(step: Step): readonly string[] {
  return anglesOf(step.name).map((name: AngleName) => angleText(step.angles[name] ?? 0));
}

/** The step with the values of its inputs, for gates whose matrix is written. */
export function withValues(step: Step, inputs: Values): Step {
  const atInputs = (angle: GateAngle) =>
    typeof angle === 'number'
      ? angle
      : (inputs[angle.input] ?? 0) * (angle.scale ?? 1) + (angle.offset ?? 0);
  const angles = Object.entries(step.angles).map(([name, angle]) => [name, atInputs(angle)]);
  return { ...step, angles: Object.fromEntries(angles) };
}

/** Values of inputs as a dictionary of Python, by their names or by their variables. */
export function valuesText(
  names: readonly string[],
  inputs: Values,
  nameOf = (name: string) => name,
) {
  const entries = names.map(
    (name) => `${JSON.stringify(nameOf(name))}: ${numberText(inputs[name] ?? 0)}`,
  );
  return `values = {${entries.join(', ')}}`;
}

/** Imports of pi, if the lines have it. */
export function piImport(lines: readonly string[]): readonly string[] {
  return lines.some((line) => /\bpi\b/.test(line)) ? ['from math import pi', ''] : [];
}

/** One qubit by itself, several as a list. */
export const oneOrList = (qubits: readonly number[]): string =>
  qubits.length === 1 ? `${qubits[0]}` : list(qubits);

export function matrixText(matrix: MatrixRows): string {
  const rows = matrix.map(
    (row) =>
      `[${row.map(([re = 0, im = 0]) => `${re}${im < 0 ? '-' : '+'}${Math.abs(im)}j`).join(', ')}]`,
  );
  return `[${rows.join(', ')}]`;
}

export const list = (qubits: readonly number[]): string => `[${qubits.join(', ')}]`;

export const numBitsOf = ({ steps }: EditedCircuit): number =>
  Math.max(0, ...steps.flatMap(({ bits = [] }) => bits.map((bit) => bit + 1)));
