/** Noise of emulated devices: their own, or a model of the caller that replaces it. */
import type { FaultList } from '../../circuit/fault-list.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import type { DeviceSpec, Emulation, ProcessorSpec } from '../../fleet/processor.ts';
import { readModel } from './check-method.ts';

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
export function checkNoiseOfDevice(
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
    if (![...names].some((name) => name.startsWith('*') || nativeGates.includes(name))) {
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
