/**
 * Devices that callers describe, for the processor `emulator`: their checks, the processor that they make of it, and
 * the noise of an emulated device, its own or a model of the caller that replaces it.
 */
import type { FaultList } from '../../circuit/errors.ts';
import { findGate } from '../../circuit/gates.ts';
import { LAYER_END } from '../../circuit/noise/gate-pattern.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { type NoiseModel, readNoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { gateSetFaults } from '../../circuit/synthesis/gate-set.ts';
import { NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import type { DeviceSpec, Emulation, ProcessorSpec } from '../../fleet/processor.ts';
import { CALLER_DEVICE } from '../../fleet/simulated-processor.ts';
import { DEFAULT_NATIVE_GATES } from '../../workloads/agents/design/route-input.ts';
import { readModel } from './check-method.ts';
import type { DeviceObject } from './device-schema.ts';
import type { Target } from './targets.ts';

/**
 * The target of a request that may describe a device: the target itself, or `emulator` as that device.
 *
 * @param isMalformed - Whether a device is given whose form is wrong; its faults are listed already.
 * @returns Undefined after adding faults.
 */
export function targetWithDevice(
  target: Target | undefined,
  device: DeviceObject | undefined,
  faults: FaultList,
  isMalformed = false,
): Target | undefined {
  if (target === undefined) return undefined;
  const { spec } = target;
  if (spec.id !== CALLER_DEVICE) {
    if (device === undefined) return target;
    faults.add(
      'device',
      `Only the processor ${CALLER_DEVICE} takes a device; ${spec.id} does not.`,
    );
    return undefined;
  }
  if (device === undefined) {
    if (isMalformed) return undefined;
    const problem = `Required: ${CALLER_DEVICE} emulates a device that you describe, with coupling_map and native_gates.`;
    faults.add('device', problem);
    return undefined;
  }
  const emulated = withDevice(spec, device, faults);
  return emulated && { spec: emulated, available: target.available };
}

function withDevice(
  spec: ProcessorSpec,
  {
    coupling_map: couplers,
    native_gates: names = [...DEFAULT_NATIVE_GATES],
    noise = {},
    ...rest
  }: DeviceObject,
  faults: FaultList,
): ProcessorSpec | undefined {
  const before = faults.count;
  const highest = couplers.reduce((most, pair) => Math.max(most, ...pair), 0);
  const { num_qubits: numQubits = highest + 1, symmetric_couplers: isSymmetric = true } = rest;
  for (const [i, [a, b]] of couplers.entries()) {
    const path = `device.coupling_map[${i}]`;
    if (a === b) faults.add(path, `Couples qubit ${a} with itself.`);
    else if (Math.max(a, b) >= numQubits) {
      const all = `the device has qubits 0 to ${numQubits - 1}`;
      faults.add(path, `There is no qubit ${Math.max(a, b)}: ${all}.`);
    }
  }
  for (const { index, message } of gateSetFaults(names)) {
    const path = 'device.native_gates';
    faults.add(index === undefined ? path : `${path}[${index}]`, message);
  }
  const nativeGates = names.map((name) => findGate(name)?.name ?? name);
  const model = readNoiseModel(noise, faults, NOISE_MODELS, 'device.noise');
  if (model !== undefined && noise.model === undefined) {
    const place = { who: 'this device', path: 'device.noise' };
    checkNoiseOfDevice(model, { numQubits, nativeGates }, place, faults);
  }
  if (faults.count > before) return undefined;
  return {
    ...spec,
    maxQubits: numQubits,
    device: {
      numQubits,
      couplers,
      isSymmetric,
      nativeGates: [...new Set(nativeGates)],
      abilities: { midCircuitMeasurement: true, reset: true, condition: true },
      emulation: { maxUsedQubits: spec.maxQubits, noise, times: { durationsNs: {} } },
      basis: 'modelled',
      source: 'The request.',
    },
  };
}

/** An emulated device. */
export type EmulatedDeviceSpec = DeviceSpec & { readonly emulation: Emulation };

/** The emulated device of a processor; undefined for other processors. */
export function emulatedDeviceOf(
  spec: Pick<ProcessorSpec, 'device'> | undefined,
): EmulatedDeviceSpec | undefined {
  const { device } = spec ?? {};
  // The cast is safe: the field is there.
  return device?.emulation === undefined ? undefined : (device as EmulatedDeviceSpec);
}

/**
 * Reads the noise of a run; undefined after adding its faults, and where there is none.
 *
 * @param noise - Replaces the noise of an emulated device. Without a device it is all the noise there is.
 */
export function readNoise(
  noise: NoiseModelObject | undefined,
  spec: Pick<ProcessorSpec, 'id' | 'device'> | undefined,
  faults: FaultList,
): NoiseModel | undefined {
  const device = emulatedDeviceOf(spec);
  const object = noise ?? device?.emulation.noise;
  const model = object && readModel(object, faults);
  if (device !== undefined && model !== undefined && noise?.model === undefined) {
    checkNoiseOfDevice(model, device, { who: spec?.id ?? '', path: 'noise' }, faults);
  }
  return model;
}

/** Adds the entries of a model that would do nothing on a device: they name other gates, or qubits that it lacks. */
function checkNoiseOfDevice(
  model: NoiseModel,
  { numQubits, nativeGates }: Pick<DeviceSpec, 'numQubits' | 'nativeGates'>,
  { who, path }: { readonly who: string; readonly path: string },
  faults: FaultList,
): void {
  const highest = numQubits - 1;
  const checkQubits = (qubits: Iterable<number> | undefined, place: string) => {
    const beyond = [...(qubits ?? [])].find((qubit) => qubit > highest);
    if (beyond === undefined) return;
    faults.add(
      `${place}.qubits`,
      `There is no qubit ${beyond}: ${who} has qubits 0 to ${highest}.`,
    );
  };
  for (const [i, { names, operands }] of model.gates.entries()) {
    const place = `${path}.gates[${i}]`;
    const followed = [...nativeGates, 'M', 'RESET', LAYER_END];
    if (![...names].some((name) => name.startsWith('*') || followed.includes(name))) {
      const list = nativeGates.join(', ');
      const problem = `The noise of ${who} follows native gates, ${list}; none of them is named here.`;
      faults.add(`${place}.gates`, problem);
    }
    const qubits = [...(operands ?? [])].flatMap((list) => list.split(',').map(Number));
    checkQubits(qubits, place);
  }
  for (const [i, { qubits }] of model.readout.entries()) {
    checkQubits(qubits, `${path}.readout[${i}]`);
  }
  for (const [i, { qubits }] of model.idle.entries()) checkQubits(qubits, `${path}.idle[${i}]`);
}
