/** The detection events of a run, summed up: how often each detector fires and each observable flips. */
import { useMemo } from 'preact/hooks';
import type { Circuit } from '../../client/api-types.ts';
import { Curve } from '../drawing/curve.tsx';
import { grouped, numberOf, percent } from '../numbers.ts';
import { Table } from '../shell/table.tsx';
import { detectionRates } from './detection-rates.ts';

export function DetectionResult({
  events,
}: {
  readonly events: NonNullable<Circuit['detection_events']>;
}) {
  const { numShots, numWithEvents, detectors, observables } = useMemo(
    () => detectionRates(events),
    [events],
  );
  const curve = useMemo(
    () => ({
      x: { label: 'detector', values: detectors.map((_, i) => i) },
      series: [{ label: 'part of the shots', values: Array.from(detectors, (n) => n / numShots) }],
    }),
    [detectors, numShots],
  );
  const fired = detectors.reduce((sum, each) => sum + each, 0) / (detectors.length * numShots);
  return (
    <div class="detection">
      {detectors.length > 0 && (
        <p class="note">
          Of {numberOf(numShots, 'shot')}, {percent(numWithEvents / numShots)} have detection
          events. On average a detector fires in {percent(fired)} of the shots.
        </p>
      )}
      {observables.length > 0 && (
        <Table
          label="Observables"
          columns={['Observable', 'Flips', 'Part of the shots']}
          rows={Array.from(observables, (flips, i) => [
            `L${i}`,
            grouped(flips),
            percent(flips / numShots, 2),
          ])}
        />
      )}
      {detectors.length > 1 && <Curve label="How often detectors fire" {...curve} />}
    </div>
  );
}
