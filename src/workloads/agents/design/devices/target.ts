/** Target of routing: a named device, or the caller's own couplers and gates. */
import type { GateSet } from '../../../../circuit/synthesis/gate-set.ts';
import {
  DEVICES,
  type DeviceId,
  type PublicDevice,
} from '../../../../compiler/device/public-devices.ts';
import { CouplingMap } from '../../../../compiler/routing/coupling-map.ts';
import { gateSetOf } from '../gate-set-field.ts';

/** Default native gates for a coupling map. */
export const DEFAULT_NATIVE_GATES: readonly string[] = ['cz', 'rz', 'sx', 'x'];

/** Input fields of a routing target. */
export interface TargetFields {
  readonly device?: DeviceId | undefined;
  readonly coupling_map?: readonly (readonly [number, number])[] | undefined;
  readonly native_gates?: readonly string[] | undefined;
}

/** A routing target. */
export interface RoutingTarget {
  readonly map: CouplingMap;
  readonly gates: GateSet;
  /** The named device; absent if the couplers are the caller's own. */
  readonly device?: PublicDevice;
}

/** The target of validated fields: a device or couplers. */
export function routingTarget({ device, coupling_map, native_gates }: TargetFields): RoutingTarget {
  if (device !== undefined) {
    const known = DEVICES[device];
    return {
      map: new CouplingMap(known.numQubits, known.couplers),
      gates: gateSetOf(native_gates ?? known.nativeGates),
      device: known,
    };
  }
  const couplers = coupling_map ?? [];
  const numQubits = 1 + couplers.flat().reduce((highest, qubit) => Math.max(highest, qubit), 0);
  return {
    map: new CouplingMap(numQubits, couplers),
    gates: gateSetOf(native_gates ?? DEFAULT_NATIVE_GATES),
  };
}
