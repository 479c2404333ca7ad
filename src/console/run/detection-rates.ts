/** How often detectors fire and observables flip, from the detection events of a run. */
import type { Circuit } from '../../client/api-types.ts';

/** Numbers of shots. */
export interface DetectionRates {
  readonly numShots: number;
  /** Shots in which at least one detector fires. */
  readonly numWithEvents: number;
  /** By detector, shots in which it fires. */
  readonly detectors: Uint32Array;
  /** By observable, shots in which it flips. */
  readonly observables: Uint32Array;
}

type DetectionEvents = NonNullable<Circuit['detection_events']>;

/** Whether events are in the format that is counted. The page asks for it, and another caller may have asked for another. */
export const isCounted = ({ format }: DetectionEvents): boolean => format === 'b8';

/** Counts the events of all shots, which are in the format `b8`. */
export function detectionRates({
  num_detectors: numDetectors,
  num_logical_observables: numObservables,
  bytes_per_shot: bytesPerShot = 0,
  data,
}: DetectionEvents): DetectionRates {
  const bytes = atob(data);
  const fired = new Uint32Array(numDetectors + numObservables);
  const numShots = bytesPerShot === 0 ? 0 : bytes.length / bytesPerShot;
  let numWithEvents = 0;
  for (let shot = 0; shot < numShots; shot++) {
    let hasEvent = false;
    for (let at = 0; at < bytesPerShot; at++) {
      const byte = bytes.charCodeAt(shot * bytesPerShot + at);
      for (let rest = byte; rest !== 0; rest &= rest - 1) {
        const bit = 8 * at + 31 - Math.clz32(rest & -rest);
        fired[bit] = (fired[bit] ?? 0) + 1;
        if (bit < numDetectors) hasEvent = true;
      }
    }
    if (hasEvent) numWithEvents += 1;
  }
  return {
    numShots,
    numWithEvents,
    detectors: fired.subarray(0, numDetectors),
    observables: fired.subarray(numDetectors),
  };
}
