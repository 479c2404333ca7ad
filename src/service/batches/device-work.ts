/** Limits of what a batch may have hardware do. */
import { withoutMeasurements } from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { measurementGroups } from '../../circuit/measurement-groups.ts';
import { angleShifts } from '../../compiler/gradient/shift-rule.ts';
import { isEstimated } from '../circuits/check-outputs.ts';
import { openAnglesOf } from '../circuits/point-groups.ts';
import type { CheckedProgram } from './batch-program.ts';

/**
 * Shots of all circuits of a batch: what IBM allows in one job. With IBM's usual delay of 250 µs between shots they hold
 * a device for 21 minutes or more.
 */
export const MAX_DEVICE_SHOTS = 5_000_000;
/** Circuits of a batch. Each is fitted here, which took 2 ms for one of 10 gates and 30 ms for one of 200. */
export const MAX_DEVICE_CIRCUITS = 10_000;

/** Adds a fault if a batch asks too much of hardware. */
export function checkDeviceWork(programs: readonly CheckedProgram[], faults: FaultList): void {
  let [circuits, shots] = [0, 0];
  for (const program of programs) {
    const own = numCircuitsOf(program);
    circuits += own;
    shots += own * (program.shots ?? 0);
  }
  if (circuits > MAX_DEVICE_CIRCUITS) {
    const problem = `${circuits} circuits for hardware, points and circuits of estimates counted; the limit is ${MAX_DEVICE_CIRCUITS}. Send fewer points.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
  if (shots > MAX_DEVICE_SHOTS) {
    const problem = `${shots} shots of all circuits on hardware; the limit is ${MAX_DEVICE_SHOTS}. Send fewer points or shots.`;
    faults.add('programs', problem, LIMIT_EXCEEDED);
  }
}

/** Circuits that a program runs: one a point, or those of its estimates. */
function numCircuitsOf(program: CheckedProgram): number {
  const { groups, inputs, observables, outputs, gradientInputs } = program;
  if (!isEstimated(program)) return inputs.numPoints;
  const numMeasured = measurementGroups(observables).groups.length;
  let circuits = 0;
  for (const group of groups) {
    const { circuit, points } = group;
    const numPoints = points?.length ?? inputs.numPoints;
    const isOpen = openAnglesOf(group, gradientInputs);
    const shifts = outputs.includes('gradient')
      ? angleShifts(withoutMeasurements(circuit), (angle) => isOpen[angle] === 1).length
      : 0;
    circuits += numPoints * numMeasured * (1 + shifts);
  }
  return circuits;
}
