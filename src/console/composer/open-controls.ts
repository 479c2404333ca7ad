/**
 * Controls that act while their qubit is 0. The API has controls on 1 alone, so an open control is written as one between
 * two X gates, and such gates are read as an open control.
 */
import type { Step } from './step.ts';

/** The same circuit with controls on 1 alone. The X gates have the number of the gate that they are for. */
export function withoutOpenControls(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => {
    const { open = [], ...closed } = step;
    const flips = open.map(
      (qubit): Step => ({ id: step.id, name: 'X', controls: [], targets: [qubit], angles: {} }),
    );
    return [...flips, closed, ...flips];
  });
}

/** The same circuit with an open control for each control between two X gates next to the gate. */
export function withOpenControls(steps: readonly Step[]): readonly Step[] {
  const read: Step[] = [];
  const taken = new Set<number>();
  for (const [index, step] of steps.entries()) {
    if (taken.has(index)) continue;
    const before = flipsFrom(read, read.length - 1, -1, step.controls);
    const after = flipsFrom(steps, index + 1, 1, step.controls);
    const open = step.controls.filter((qubit) => before.has(qubit) && after.has(qubit));
    const own = open.map((qubit) => before.get(qubit) ?? -1).sort((a, b) => b - a);
    for (const at of own) read.splice(at, 1);
    for (const qubit of open) taken.add(after.get(qubit) ?? -1);
    read.push(open.length === 0 ? step : { ...step, open });
  }
  return read;
}

/** Places by qubit of the X gates on some qubits that follow each other from a place on. */
function flipsFrom(
  steps: readonly Step[],
  from: number,
  by: 1 | -1,
  qubits: readonly number[],
): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = from; ; at += by) {
    const step = steps[at];
    if (step === undefined) return places;
    const { name, controls, targets, condition } = step;
    const [qubit = -1] = targets;
    const isFlip = name === 'X' && controls.length === 0 && condition === undefined;
    if (!isFlip || !qubits.includes(qubit) || places.has(qubit)) return places;
    places.set(qubit, at);
  }
}
