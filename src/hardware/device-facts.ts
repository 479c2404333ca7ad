/** Facts that follow from a vendor's report of its device. */
import { findGateSet } from '../circuit/synthesis/gate-set.ts';
import type { DeviceErrors } from '../compiler/device/device.ts';
import type { Coupler } from '../compiler/routing/coupling-map.ts';
import type { Calibration } from '../fleet/processor.ts';

/** Why circuits cannot be written in native gates. */
export function faultOfGates(nativeGates: readonly string[]): string | undefined {
  if (findGateSet(nativeGates) !== undefined) return undefined;
  return `Circuits cannot be written in its native gates (${nativeGates.join(', ')}).`;
}

/** Qubits of the largest device that circuits are fitted to. */
export const MAX_DEVICE_QUBITS = 1024;

/** Whether couplers join different qubits below `numQubits`. */
export function isMapOf(numQubits: number, map: readonly Coupler[]): boolean {
  return map.every(([a, b]) => a !== b && a < numQubits && b < numQubits);
}

/** Errors of qubits and couplers, for choosing a good part of the device. */
export function errorsOf(
  { qubits, couplers }: Calibration,
  numQubits: number,
  map: readonly Coupler[],
): DeviceErrors {
  const ofQubit = new Array<number>(numQubits).fill(0);
  for (const { qubit, readoutError = 0, gateError = 0 } of qubits) {
    if (qubit < numQubits) ofQubit[qubit] = readoutError + gateError;
  }
  const ofCoupler = new Map<string, number>();
  for (const {
    qubits: [a, b],
    gateError,
  } of couplers) {
    if (gateError === undefined) continue;
    for (const name of [`${a} ${b}`, `${b} ${a}`]) {
      ofCoupler.set(name, Math.min(gateError, ofCoupler.get(name) ?? 1));
    }
  }
  return { qubits: ofQubit, couplers: map.map(([a, b]) => ofCoupler.get(`${a} ${b}`) ?? 0) };
}
