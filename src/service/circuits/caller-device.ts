/** Devices that callers describe, for the processor `emulator`: their checks, and the processor that they make of it. */
import type { FaultList } from '../../circuit/fault-list.ts';
import { findGate } from '../../circuit/gates.ts';
import { readNoiseModel } from '../../circuit/noise/read-noise-model.ts';
import { gateSetFaults } from '../../circuit/synthesis/gate-set.ts';
import { NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import { CALLER_DEVICE } from '../../fleet/simulated-processor.ts';
import { DEFAULT_NATIVE_GATES } from '../../workloads/agents/design/route-input.ts';
import type { DeviceObject } from './device-schema.ts';
import { checkNoiseOfDevice } from './emulated-noise.ts';
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
