/** What is real of the fleet: engines, queue, waits, latencies and failures, now and over the last hour. */
import { useMemo } from 'preact/hooks';
import type { ServiceLoad } from '../../client/api-types.ts';
import { Curve } from '../drawing/curve.tsx';
import { numberOf, startsIn } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { FactList } from '../shell/facts.tsx';
import { Pending } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { hashOf } from '../shell/route.ts';
import { keyInfo } from '../shell/session.ts';
import { FLEET, fleetInWords } from './device-words.ts';
import { pollMs } from './fleet-history.ts';
import {
  failuresInWords,
  historyInWords,
  laneInWords,
  laneName,
  latencyInWords,
  loadCurves,
} from './load-words.ts';
import { Outdated } from './outdated.tsx';

/** Shows the load, and the modelled devices as one card. */
export function LoadView() {
  const everyMs = Math.max(3000, pollMs(keyInfo.value?.limits));
  const { data, error } = useResource('GET /status/load', {}, { everyMs });
  if (data === undefined) return <Pending what="the load" error={error} />;
  const { now, hour, engines } = data;
  const [jobs, requests] = failuresInWords(hour);
  const busy = engines.filter((lane) => lane.busy > 0 || lane.kind !== 'spread');
  return (
    <>
      <Outdated of={data} error={error}>
        <p class="totals">
          <span>
            <b>{now.waiting}</b> {now.waiting === 1 ? 'circuit waits' : 'circuits wait'}
          </span>
          {now.expected_wait_ms !== undefined && (
            <span>a circuit would start {startsIn(now.expected_wait_ms)}</span>
          )}
        </p>
        <section class="card" aria-label="Load">
          <FactList
            class="fleet-facts"
            facts={[
              ...busy.map((lane) => [laneName(lane), laneInWords(lane, hour)] as const),
              ['Engines', engines.length === 0 ? 'none: this node runs no circuits' : undefined],
              ['Circuits, from submission to result', latencyInWords(hour), 'last hour'],
              ['Jobs', jobs, 'last hour'],
              ['Requests', requests, 'last hour'],
            ]}
          />
          <p class="small">{historyInWords(data)}</p>
        </section>
        <Curves data={data} />
      </Outdated>
      <Devices />
      <ApiPanel call={{ route: 'GET /status/load' }} />
    </>
  );
}

function Curves({ data }: { readonly data: ServiceLoad }) {
  const { x, busy, waiting, latency, failures } = useMemo(() => loadCurves(data), [data]);
  const parts = [
    ['Busy engines, %', busy],
    ['Circuits that wait', waiting],
    ['From submission to result, ms', latency],
    ['Failed, %', failures],
  ] as const;
  return (
    <ul class="cards load-curves">
      {parts.map(([title, series]) => (
        <li key={title}>
          <section class="card" aria-label={title}>
            <h2>{title}</h2>
            {series.some(({ values }) => Array.from(values).some(Number.isFinite)) ? (
              <Curve
                label={title}
                x={x}
                series={series}
                height={190}
                isLogarithmic={series === latency}
                isJoined={series === latency}
              />
            ) : (
              <p class="note">Nothing was measured in this hour.</p>
            )}
          </section>
        </li>
      ))}
    </ul>
  );
}

/** The devices as one card: most are models that share the engines above. */
function Devices() {
  const { data } = useResource(
    'GET /quantum/processors/{processor_id}/devices',
    { path: { processor_id: FLEET } },
    { everyMs: 30_000 },
  );
  if (data === undefined) return null;
  const { devices, summary } = data;
  const out = devices.filter(({ available }) => !available).length;
  return (
    <section class="card" aria-label="Devices">
      <h2>
        {numberOf(devices.length, 'device')}{' '}
        {devices.some(({ modelled }) => modelled) && <span class="basis">modelled</span>}
      </h2>
      <p>{fleetInWords(devices, summary)}</p>
      <p>
        {out === 0
          ? 'All are in service.'
          : `${numberOf(out, 'device is', 'devices are')} out of service.`}{' '}
        <a href={hashOf(['fleet', 'devices'])}>Show the devices</a>
      </p>
    </section>
  );
}
