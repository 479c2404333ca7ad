/** The circuit of the composer for its drawing, and in words. */

import type { DrawnGate } from '../drawing/circuit-layout.ts';
import { numberOf } from '../numbers.ts';
import { writeGateAngle } from './angle-text.ts';
import { columnsOf, type EditedCircuit, isDisplay, type Step, stepAt } from './edited-circuit.ts';
import { ANGLES, familyOf } from './gate-table.ts';
import { blochWords, probabilityText } from './state-words.ts';

/** Bloch vectors of the displays whose values are known, by their numbers. */
export type BlochVectors = ReadonlyMap<number, readonly [x: number, y: number, z: number]>;

/** Gates as the drawing takes them. */
export function drawnGates(
  circuit: EditedCircuit,
  classOf: (step: Step, column: number) => string,
  vectors: BlochVectors = new Map(),
): readonly DrawnGate[] {
  const columns = columnsOf(circuit);
  const numBits =
    Math.max(
      0,
      ...circuit.steps.flatMap(({ bits, condition }) => [
        ...(bits ?? []),
        ...(condition?.bits ?? []),
      ]),
    ) + 1;
  return circuit.steps.map((step, index) => {
    const { id, name, controls, open, targets, condition, bits } = step;
    const [first, ...others] = ANGLES.flatMap((angle) => step.angles[angle] ?? []);
    const detail =
      first === undefined ? undefined : `${writeGateAngle(first)}${others.length > 0 ? ' …' : ''}`;
    return {
      id,
      column: columns[index] ?? 0,
      name,
      controls,
      open,
      targets,
      className: `${familyOf(name)} ${classOf(step, columns[index] ?? 0)}`,
      ...(isDisplay(step) && { shows: { as: name, vector: vectors.get(id) } }),
      ...(detail !== undefined && { detail }),
      ...(bits !== undefined && { writes: bits.join(', ') }),
      ...(condition !== undefined && { condition: `if ${conditionWords(condition, numBits)}` }),
    };
  });
}

/**
 * A condition on bits: "c0 = 1, c2 = 0". On all bits of a circuit, in order, it is one on their number: "c = 3".
 *
 * @param numBits - Of the circuit; 0 where it is not known.
 */
function conditionWords({ bits, value }: NonNullable<Step['condition']>, numBits = 0): string {
  const isOnAll = bits.length > 1 && bits.length === numBits && bits.every((bit, i) => bit === i);
  if (isOnAll) return `c = ${value}`;
  return bits.map((bit, i) => `c${bit} = ${Math.floor(value / 2 ** i) % 2}`).join(', ');
}

/** A gate in words: "RX with theta π/2 on q0, controlled by q1", or by "q1 on 0". */
export function stepWords(step: Step): string {
  if (isDisplay(step)) {
    const what = step.name === 'bloch' ? 'Bloch vector' : 'probability of 1';
    return `Display of the ${what} of q${step.targets[0]}`;
  }
  const { name, controls, open, targets, condition } = step;
  const angles = ANGLES.flatMap((angle) => {
    const value = step.angles[angle];
    return value === undefined ? [] : [`${angle} ${writeGateAngle(value, 3)}`];
  });
  const { time } = step.evolution ?? {};
  if (time !== undefined) angles.push(`time ${writeGateAngle(time, 3)}`);
  const parts = [
    `${name === 'M' ? 'Measurement' : name}${angles.length > 0 ? ` with ${angles.join(', ')}` : ''}`,
    `on ${targets.map((qubit) => `q${qubit}`).join(', ')}`,
  ];
  const controlled = controls
    .map((qubit) => `q${qubit}${open?.includes(qubit) === true ? ' on 0' : ''}`)
    .join(', ');
  return [
    parts.join(' '),
    ...(controls.length > 0 ? [`controlled by ${controlled}`] : []),
    ...(condition === undefined ? [] : [`if ${conditionWords(condition)}`]),
  ].join(', ');
}

/** The place of the cursor in words, with the value of a display. */
export function cellWords(
  circuit: EditedCircuit,
  qubit: number,
  column: number,
  vectors: BlochVectors = new Map(),
): string {
  const step = stepAt(circuit, qubit, column);
  const vector = step && vectors.get(step.id);
  const value =
    step === undefined || vector === undefined
      ? ''
      : step.name === 'bloch'
        ? `, ${blochWords(qubit, ...vector)}`
        : `, ${probabilityText((1 - vector[2]) / 2)}`;
  const what = step === undefined ? 'empty' : `${stepWords(step)}${value}`;
  return `q${qubit}, column ${column + 1}: ${what}`;
}

/** Selected columns: "Column 2", "Columns 2 to 4". */
export function columnsInWords({ first, last }: { first: number; last: number }): string {
  return first === last ? `Column ${first + 1}` : `Columns ${first + 1} to ${last + 1}`;
}

/** The whole circuit in words, for its drawing. */
export function circuitWords({ numQubits, steps }: EditedCircuit): string {
  const displays = steps.filter(isDisplay).length;
  const shown = displays === 0 ? '' : ` and ${numberOf(displays, 'display')}`;
  return `Circuit of ${numberOf(numQubits, 'qubit')} with ${numberOf(steps.length - displays, 'gate')}${shown}`;
}
