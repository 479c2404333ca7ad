/**
 * Checks a program of a batch for a device, once for all of its points: its outputs and its operations. Of a program for
 * an emulated device it makes the circuits that run there.
 *
 * Hardware gives counts. Expectation values and gradients are estimated from counts, as on simulators with shots.
 */
import { type AngleFormulas, CONSTANT, evaluateAngles } from '../../circuit/angle-formulas.ts';
import {
  type DynamicCircuit,
  isNoisy,
  numAnglesOf,
  withAngles,
  withoutMeasurements,
} from '../../circuit/circuit.ts';
import { LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { FaultList } from '../../circuit/fault-list.ts';
import { type InputColumns, inputRows } from '../../circuit/input-columns.ts';
import { anglesOf } from '../../compiler/shape.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import { checkOperations, type SourceField } from '../circuits/check-device.ts';
import { checkDeviceOutputs } from '../circuits/check-outputs.ts';
import {
  type EmulationRequest,
  emulatedCircuit,
  fitsAsWritten,
} from '../circuits/emulated-circuit.ts';
import type { BatchOutput } from '../schemas/batches.ts';
import { isEstimated, type ProgramGroup } from './batch-program.ts';
import { pointsIn } from './group-points.ts';

/** Results that a program asks for. */
interface Asked {
  readonly outputs: readonly BatchOutput[];
  readonly shots: number | undefined;
  readonly source: SourceField;
}

/** Adds the faults of a program that a device does not take: outputs that it does not have, and operations that it lacks. */
export function checkBatchDevice(
  groups: readonly ProgramGroup[],
  asked: Asked,
  spec: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): void {
  const { device } = spec;
  if (device === undefined) return;
  checkDeviceOutputs('batch', { ...asked, results: [] }, spec, faults);
  const noisy = groups.find(({ circuit }) => isNoisy(circuit));
  if (noisy !== undefined) {
    checkOperations(noisy.circuit, device, asked.source, faults);
    return;
  }
  // The measurements of an estimate are added later; what the program measures does not matter.
  const areMeasured = !isEstimated({
    outputs: asked.outputs,
    method: 'statevector',
    ...shotsOf(asked),
  });
  for (const { circuit } of groups) {
    const own = areMeasured ? circuit : withoutMeasurements(circuit);
    checkOperations(own, device, asked.source, faults);
    if (faults.count > 0) return;
  }
}

const shotsOf = ({ shots }: Asked) => (shots === undefined ? {} : { shots });

/** Points of all programs of one body that are fitted by themselves. */
const MAX_FITTED_POINTS = 1000;
/** Operations of the fitted circuits of one program, noise counted. */
const MAX_FITTED_OPERATIONS = 1_000_000;

/**
 * The circuits that an emulated device runs; undefined after adding the reason why it does not.
 *
 * A program in native gates on coupled qubits stays a sweep. The circuits of any other are fitted point by point, because
 * native gates depend on angles in any way: each point then is the circuit that it is by itself.
 *
 * @throws {StepsSpentError} if circuits have to be fitted and that may not take long.
 */
export function emulatedGroups(
  groups: readonly ProgramGroup[],
  inputs: InputColumns,
  outputs: readonly BatchOutput[],
  request: EmulationRequest,
  faults: FaultList,
): readonly ProgramGroup[] | undefined {
  const { device, source } = request;
  const needsFitting = groups.some(({ circuit }) => !fitsAsWritten(circuit, device));
  if (needsFitting && outputs.includes('gradient')) {
    const problem = `gradient on an emulated device needs a program in its native gates, ${device.nativeGates.join(', ')}, on coupled qubits: those of a fitted circuit depend on its angles.`;
    faults.add('return', problem);
    return undefined;
  }
  if (needsFitting && inputs.numPoints > MAX_FITTED_POINTS) {
    const problem = `${inputs.numPoints} points of a program that has to be fitted to a device; the limit is ${MAX_FITTED_POINTS}. Send a program in native gates on coupled qubits, or fewer points.`;
    faults.add(source, problem, LIMIT_EXCEEDED);
    return undefined;
  }
  const made: ProgramGroup[] = [];
  let numOperations = 0;
  for (const group of groups) {
    for (const own of needsFitting ? singlePoints(group, inputs) : [group]) {
      const run = emulatedCircuit(own.circuit, request, faults);
      if (run === undefined) return undefined;
      numOperations += run.circuit.operations.length;
      if (needsFitting && numOperations > MAX_FITTED_OPERATIONS) {
        const problem = `The fitted circuits of all points have more than ${MAX_FITTED_OPERATIONS} operations, noise counted. Send fewer points.`;
        faults.add(source, problem, LIMIT_EXCEEDED);
        return undefined;
      }
      const formulas = needsFitting ? constantAngles(run.circuit, inputs) : own.formulas;
      made.push({ ...own, circuit: run.circuit, formulas });
    }
  }
  return made;
}

/** The points of a group as groups of their own. */
function* singlePoints(group: ProgramGroup, inputs: InputColumns): Iterable<ProgramGroup> {
  const { circuit, formulas } = group;
  const { list, from, to } = pointsIn(group, 0, inputs.numPoints);
  const rows = inputRows(inputs, list, from, to);
  const numAngles = numAnglesOf(circuit);
  const angles = evaluateAngles(formulas, rows, to - from);
  for (let k = 0; k < to - from; k++) {
    const own = angles.subarray(k * numAngles, (k + 1) * numAngles);
    const point = list === undefined ? from + k : list[from + k]!;
    yield { ...group, circuit: withAngles(circuit, own), points: Uint32Array.of(point) };
  }
}

/** Formulas of a circuit whose angles do not depend on inputs. */
function constantAngles(circuit: DynamicCircuit, { names }: InputColumns): AngleFormulas {
  const angles = Float64Array.from(anglesOf(circuit));
  return {
    numInputs: names.length,
    numAngles: angles.length,
    constants: new Float64Array(0),
    operators: new Uint8Array(0),
    left: new Int32Array(0),
    right: new Int32Array(0),
    results: new Int32Array(angles.length).fill(CONSTANT),
    angles,
    finite: new Int32Array(0),
  };
}
