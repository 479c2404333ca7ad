/** The circuit of the composer for its drawing, and in words. */

import type { DrawnGate } from '../drawing/circuit-layout.ts';
import { numberOf } from '../numbers.ts';
import { writeGateAngle } from './angle-text.ts';
import { columnsOf, type EditedCircuit, type Step, stepAt } from './edited-circuit.ts';
import { ANGLES } from './gate-table.ts';

/** Gates as the drawing takes them. */
export function drawnGates(
  circuit: EditedCircuit,
  classOf: (step: Step, column: number) => string,
): readonly DrawnGate[] {
  const columns = columnsOf(circuit);
  return circuit.steps.map((step, index) => {
    const { id, name, controls, open, targets, condition, bits } = step;
    const [first, ...others] = ANGLES.flatMap((angle) => step.angles[angle] ?? []);
    const detail =
      first === undefined ? undefined : `${writeGateAngle(first)}${others.length > 0 ? ' …' : ''}`;
    const isOwnBit = bits?.every((bit, i) => bit === targets[i]) !== false;
    return {
      id,
      column: columns[index] ?? 0,
      name,
      controls,
      open,
      targets,
      className: classOf(step, columns[index] ?? 0),
      ...(detail !== undefined && { detail }),
      ...(name === 'M' && !isOwnBit && { caption: `→ c${bits?.join(',')}` }),
      ...(condition !== undefined && { condition: `if ${conditionWords(condition)}` }),
    };
  });
}

/** A condition on bits: "c0 = 1". */
function conditionWords({ bits, value }: NonNullable<Step['condition']>): string {
  return `${bits.map((bit) => `c${bit}`).join(' ')} = ${value}`;
}

/** A gate in words: "RX with theta π/2 on q0, controlled by q1", or by "q1 on 0". */
export function stepWords(step: Step): string {
  const { name, controls, open, targets, condition } = step;
  const angles = ANGLES.flatMap((angle) => {
    const value = step.angles[angle];
    return value === undefined ? [] : [`${angle} ${writeGateAngle(value, 3)}`];
  });
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

/** The place of the cursor in words. */
export function cellWords(circuit: EditedCircuit, qubit: number, column: number): string {
  const step = stepAt(circuit, qubit, column);
  const what = step === undefined ? 'empty' : stepWords(step);
  return `q${qubit}, column ${column + 1}: ${what}`;
}

/** Selected columns: "Column 2", "Columns 2 to 4". */
export function columnsInWords({ first, last }: { first: number; last: number }): string {
  return first === last ? `Column ${first + 1}` : `Columns ${first + 1} to ${last + 1}`;
}

/** The whole circuit in words, for its drawing. */
export function circuitWords({ numQubits, steps }: EditedCircuit): string {
  return `Circuit of ${numberOf(numQubits, 'qubit')} with ${numberOf(steps.length, 'gate')}`;
}
