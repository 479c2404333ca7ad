/**
 * Circuits on emulated devices. A circuit in native gates on coupled qubits runs unchanged; any other is fitted first.
 * Then the noise is attached, to native gates and the device's qubits, and unused qubits are left out.
 */
import {
  type Circuit,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isNoisy,
  type Qubit,
  withAllBits,
  withoutMeasurements,
} from '../../circuit/circuit.ts';
import { StepsSpentError } from '../../circuit/circuit-limits.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { InputColumns } from '../../circuit/input-columns.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { OutputName } from '../../circuit/outputs.ts';
import { misfits, missingAbilities, renumbered, usedQubits } from '../../compiler/device/device.ts';
import { beforeReadout } from '../../compiler/device/fit-circuit.ts';
import { CouplingMap } from '../../compiler/routing/coupling-map.ts';
import type { DeviceSpec, Fitting, ProcessorSpec } from '../../fleet/processor.ts';
import type { EmulatedDeviceSpec } from './caller-device.ts';
import { withModel } from './check-method.ts';
import { type Asked, checkDeviceOutputs, isEstimated } from './check-outputs.ts';
import type { SourceField } from './circuit-schema.ts';
import { FIXED_LAYOUT_SEED, fitted } from './fitted-circuit.ts';
import { type PointGroup, singlePoints } from './point-groups.ts';

/**
 * Adds the outputs that a device does not give, and the operations that it lacks.
 *
 * @param circuits - Circuits of one program, with their final measurements.
 */
export function checkDevice(
  form: 'circuit' | 'batch',
  circuits: readonly DynamicCircuit[],
  asked: Asked,
  source: SourceField,
  { id, device }: Pick<ProcessorSpec, 'id' | 'device'>,
  faults: FaultList,
): void {
  if (device === undefined) return;
  checkDeviceOutputs(form, asked, { id, device }, faults);
  const noisy = circuits.find(isNoisy);
  if (noisy !== undefined) {
    checkOperations(noisy, device, source, faults);
    return;
  }
  // The measurements of an estimate are added later; those of the program do not matter.
  const isRead = form === 'circuit' || !isEstimated({ ...asked, method: 'statevector' });
  for (const circuit of circuits) {
    const before = faults.count;
    checkOperations(isRead ? circuit : withoutMeasurements(circuit), device, source, faults);
    if (faults.count > before) return;
  }
}

/** Adds the operations that a device lacks. */
function checkOperations(
  circuit: DynamicCircuit,
  { abilities, emulation }: DeviceSpec,
  source: SourceField,
  faults: FaultList,
): void {
  // An emulated device is simulated, and keeps bits that are no part of the outcome.
  const needed = emulation === undefined ? circuit : (withAllBits(circuit) ?? circuit);
  for (const { index, message } of missingAbilities(needed, abilities)) {
    if (faults.isFull) break;
    const inText = source !== 'circuit' && index !== undefined ? `Operation ${index}: ` : '';
    const path = source === 'circuit' && index !== undefined ? `circuit[${index}]` : source;
    faults.add(path, `${inText}${message}`);
  }
}

/** Adds a fault if a circuit uses more qubits of an emulated device than can be simulated. */
function checkNumUsed(
  numUsed: number,
  { id, device }: { readonly id: string; readonly device: DeviceSpec },
  source: SourceField,
  faults: FaultList,
): void {
  const { numQubits, emulation } = device;
  const { maxUsedQubits = numQubits } = emulation ?? {};
  if (numUsed <= maxUsedQubits) return;
  const problem = `The circuit uses ${numUsed} qubits; ${id} simulates at most ${maxUsedQubits} of its ${numQubits}. A circuit without M measures all of them.`;
  faults.add(source, problem, LIMIT_EXCEEDED);
}

/** Gates of the longest circuit that is fitted: it takes seconds. */
const MAX_FITTED_GATES = 10_000;

/** Device, noise and purpose of a run on an emulated device. */
export interface EmulationRequest {
  readonly id: string;
  readonly device: EmulatedDeviceSpec;
  readonly noise: NoiseModel;
  /** Qubits that observables read. In the circuit that runs they have the first numbers, in this order. */
  readonly observed: readonly Qubit[];
  /** Whether the request asks for outcomes of the last measurements. */
  readonly isRead: boolean;
  readonly source: SourceField;
  /** Whether the circuit names qubits of the device, so that it is not put on others. */
  readonly isPlaced: boolean;
  /** Whether fitting, which takes long, is allowed. */
  readonly mayTakeLong: boolean;
}

/** A circuit with its noise, ready to run, and how it was fitted to the device. */
interface EmulatedRun {
  readonly circuit: DynamicCircuit;
  /** Absent for a circuit that runs unchanged. */
  readonly fitting?: Fitting;
}

/** Whether a device executes a circuit unchanged. */
function fitsAsWritten(circuit: DynamicCircuit, device: EmulatedDeviceSpec): boolean {
  const whole = withAllBits(circuit);
  return whole !== undefined && misfits(whole, device).length === 0;
}

/** Qubits that observables may read: on a circuit that runs unchanged, also those that it does not name. */
export function numReadableQubits(
  circuit: DynamicCircuit,
  device: EmulatedDeviceSpec | undefined,
): number {
  const isAsWritten = device !== undefined && fitsAsWritten(circuit, device);
  return isAsWritten ? device.numQubits : circuit.numQubits;
}

/** Whether a program names qubits of a device, such as `$5`. */
export function namesDeviceQubits(qasm: string | undefined): boolean {
  return qasm !== undefined && /\$\d/.test(qasm.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, ''));
}

/** Qubits that observables read, ascending. */
export function observedQubits(observables: readonly PauliSum[]): readonly Qubit[] {
  const all = observables.flatMap((sum) =>
    sum.flatMap(({ factors }) => factors.map(({ qubit }) => qubit)),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Observables on the numbers that their qubits have in the circuit that runs. */
export function onObserved(
  observables: readonly PauliSum[],
  observed: readonly Qubit[],
): readonly PauliSum[] {
  const numbers = new Map(observed.map((qubit, i) => [qubit, i]));
  return observables.map((sum) =>
    sum.map(({ coefficient, factors }) => ({
      coefficient,
      factors: factors.map(({ pauli, qubit }) => ({ pauli, qubit: numbers.get(qubit)! })),
    })),
  );
}

/** Points of a program that are fitted by themselves. */
const MAX_FITTED_POINTS = 1000;
/** Operations of the fitted circuits of one program, noise counted. */
const MAX_FITTED_OPERATIONS = 1_000_000;

/** The circuits of a program that an emulated device runs. */
export interface EmulatedGroups {
  readonly groups: readonly PointGroup[];
  /** Fitting of the first circuit; absent if all run unchanged. */
  readonly fitting?: Fitting;
}

/**
 * The circuits that an emulated device runs; undefined after adding the reason why it does not.
 *
 * A program in native gates on coupled qubits stays one circuit for many points. The circuits of any other are fitted
 * point by point, because native gates depend on angles in any way: each point then is a circuit by itself.
 *
 * @param groups - Circuits of operations that the device has, with their final measurements.
 * @param outputs - Requested outputs of each.
 * @throws {StepsSpentError} if circuits have to be fitted and that may not take long.
 */
export function emulatedGroups(
  groups: readonly PointGroup[],
  inputs: InputColumns | undefined,
  outputs: readonly OutputName[],
  request: EmulationRequest,
  faults: FaultList,
): EmulatedGroups | undefined {
  const { device, source } = request;
  const numPoints = inputs?.numPoints ?? 1;
  const needsFitting = groups.some(({ circuit }) => !fitsAsWritten(circuit, device));
  if (needsFitting && outputs.includes('gradient')) {
    const problem = `gradient on an emulated device needs a program in its native gates, ${device.nativeGates.join(', ')}, on coupled qubits: those of a fitted circuit depend on its angles.`;
    faults.add('return', problem);
    return undefined;
  }
  if (needsFitting && numPoints > MAX_FITTED_POINTS) {
    const problem = `${numPoints} points of a program that has to be fitted to a device; the limit is ${MAX_FITTED_POINTS}. Send a program in native gates on coupled qubits, or fewer points.`;
    faults.add(source, problem, LIMIT_EXCEEDED);
    return undefined;
  }
  const made: PointGroup[] = [];
  let fitting: Fitting | undefined;
  let numOperations = 0;
  for (const group of groups) {
    for (const own of needsFitting ? singlePoints(group, inputs) : [group]) {
      const run = emulatedCircuit(own.circuit, outputs, request, faults);
      if (run === undefined) return undefined;
      fitting ??= run.fitting;
      numOperations += run.circuit.operations.length;
      if (numPoints > 1 && needsFitting && numOperations > MAX_FITTED_OPERATIONS) {
        const problem = `The fitted circuits of all points have more than ${MAX_FITTED_OPERATIONS} operations, noise counted. Send fewer points.`;
        faults.add(source, problem, LIMIT_EXCEEDED);
        return undefined;
      }
      made.push({ ...own, circuit: run.circuit });
    }
  }
  return { groups: made, ...(fitting !== undefined && { fitting }) };
}

/**
 * The circuit that an emulated device runs; undefined after adding the reason why it does not.
 *
 * @param given - Of operations that the device has, with its final measurement.
 * @throws {StepsSpentError} if the circuit has to be fitted and that may not take long.
 */
function emulatedCircuit(
  given: DynamicCircuit,
  outputs: readonly OutputName[],
  request: EmulationRequest,
  faults: FaultList,
): EmulatedRun | undefined {
  // Bits that are no part of the outcome are measured like others.
  const circuit = withAllBits(given);
  if (circuit === undefined) throw new Error('unreachable: a dynamic circuit on a device');
  const { device, observed, source } = request;
  if (fitsAsWritten(circuit, device)) {
    const run = underNoise(circuit, given, observed, outputs, request, faults);
    return run && { circuit: run };
  }
  if (request.isPlaced) {
    for (const { index, message } of misfits(circuit, device)) {
      if (faults.isFull) break;
      faults.add(source, `Operation ${index}: ${message}`);
    }
    return undefined;
  }
  if (!isFittable(circuit, device, source, faults)) return undefined;
  if (!request.mayTakeLong) throw new StepsSpentError();
  const preserve = observed.length > 0 ? 'state' : 'outcomes';
  const found = fitted(circuit, device, FIXED_LAYOUT_SEED, preserve);
  const places = observed.map((qubit) => found.finalLayout[qubit]!);
  const run = underNoise(found.circuit, given, places, outputs, request, faults);
  return run && { circuit: run, fitting: found.fitting };
}

/** Adds the reason why a circuit cannot be fitted, if there is one. */
function isFittable(
  { numQubits, operations }: Circuit,
  device: EmulatedDeviceSpec,
  source: SourceField,
  faults: FaultList,
): boolean {
  const room = new CouplingMap(device.numQubits, device.couplers).largestPart().length;
  if (numQubits > room) {
    const problem = `The circuit has ${numQubits} qubits and does not fit as it is written; the largest connected part of the device has ${room}.`;
    faults.add(source, problem, LIMIT_EXCEEDED);
    return false;
  }
  const numGates = operations.filter(({ kind }) => kind === 'gate' || kind === 'unitary').length;
  if (numGates <= MAX_FITTED_GATES) return true;
  const problem = `${numGates} gates; a circuit that has to be fitted to a device has at most ${MAX_FITTED_GATES}.`;
  faults.add(source, problem, LIMIT_EXCEEDED);
  return false;
}

/**
 * Attaches noise to a circuit on a device and leaves out the qubits that nothing uses.
 *
 * @param given - The circuit before it was fitted, whose outcome has its own bits only.
 * @param observed - Qubits of the device that come first.
 */
function underNoise(
  circuit: Circuit,
  { numBits, control }: DynamicCircuit,
  observed: readonly Qubit[],
  outputs: readonly OutputName[],
  { id, device, noise, isRead, source }: EmulationRequest,
  faults: FaultList,
): DynamicCircuit | undefined {
  // Qubits that are measured at the end and never used otherwise need not be simulated if nobody reads them.
  const isUnread = !isRead && !hasMidCircuitMeasurement(circuit);
  const body = isUnread ? beforeReadout(circuit).body : circuit;
  const run = isUnread
    ? { ...body, numBits: 0 }
    : { ...body, numBits, ...(control && { control }) };
  const first = new Set(observed);
  const rest = [...usedQubits(body)].filter((qubit) => !first.has(qubit)).sort((a, b) => a - b);
  const numbers = new Map([...observed, ...rest].map((qubit, i) => [qubit, i]));
  checkNumUsed(numbers.size, { id, device }, source, faults);
  if (faults.count > 0) return undefined;
  return renumbered(withModel(run, noise, outputs, faults), numbers);
}
