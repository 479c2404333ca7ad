/** The modelled TPU fleet: zones with their chips in use and free, and the rates of the fleet. */
import { Ago, FactList } from '../shell/facts.tsx';
import './chips.css';
import { grouped } from '../numbers.ts';
import { ApiPanel } from '../shell/api-panel.tsx';
import { Pending } from '../shell/notice.tsx';
import { useResource } from '../shell/resource.ts';
import { mayUse } from '../shell/session.ts';
import { Outdated } from './outdated.tsx';
import { type Slice, squaresOf, type ZoneMap, zoneInWords, zoneMaps } from './tpu-map.ts';

const EVERY_MS = 5000;
const UNENDED = { query: { status: ['queued', 'running'], limit: 100 } } as const;

/** Shows the zones. Own slices are marked if the key may read its jobs. */
export function TpuView() {
  const { data, error } = useResource('GET /tpu/fleet', {}, { everyMs: EVERY_MS });
  const jobs = useResource('GET /tpu/jobs', UNENDED, { everyMs: EVERY_MS, isOff: !mayUse('tpu') });
  if (data === undefined) return <Pending what="the zones" error={error} />;
  const {
    available,
    reason,
    benchmark,
    rated_tasks_per_sec_basis: rated,
    measured_tasks_per_sec_basis: measured,
  } = data;
  return (
    <>
      <Outdated of={data} error={error}>
        <p class="note">
          <span class="basis">modelled</span> The chips are a model. Hardware that runs the jobs:{' '}
          {data.backing}
        </p>
        {!available && <p class="notice">{reason ?? 'It is not available.'}</p>}
        <ul class="map-legend">
          <li>
            <span class="chips-sign" data-kind="own" aria-hidden="true" /> a slice of yours
          </li>
          <li>
            <span class="chips-sign" data-kind="other" aria-hidden="true" /> in use by others
          </li>
          <li>
            <span class="chips-sign" data-kind="free" aria-hidden="true" /> free
          </li>
          <li>The API gives numbers of chips; the position of a slice has no meaning.</li>
        </ul>
        <ul class="cards zones">
          {zoneMaps(data, jobs.data?.jobs ?? []).map((zone) => (
            <li key={zone.zone}>
              <Zone zone={zone} />
            </li>
          ))}
        </ul>
        <div class="card">
          <h2>Rates</h2>
          <FactList
            class="fleet-facts"
            facts={[
              ['Rated', `${grouped(data.rated_tasks_per_sec)} tasks a second`, rated.basis],
              [
                'Now',
                `${grouped(data.measured_tasks_per_sec)} tasks a second on this machine`,
                measured.basis,
              ],
              ...(benchmark === null
                ? []
                : [
                    [
                      'Self-test',
                      <>
                        {grouped(benchmark.jobs_per_sec)} jobs of “{benchmark.task}” a second,{' '}
                        <Ago at={benchmark.measured_at} />
                      </>,
                      benchmark.basis,
                    ] as const,
                  ]),
            ]}
          />
          <p class="small">
            {rated.how} {measured.how}
          </p>
        </div>
      </Outdated>
      <ApiPanel call={{ route: 'GET /tpu/fleet' }} />
    </>
  );
}

function Zone({ zone }: { readonly zone: ZoneMap }) {
  return (
    <article class="card" aria-label={`Zone ${zone.zone}`}>
      <div class="head">
        <h2>{zone.zone}</h2>
        <span>{zone.types.map(({ tpuType }) => tpuType).join(', ')}</span>
      </div>
      {zone.types.map(({ tpuType, slices }) => (
        <Chips key={tpuType} slices={slices} />
      ))}
      <p class="small">{zoneInWords(zone)}</p>
    </article>
  );
}

/** Draws the chips of one type. */
export function Chips({ slices }: { readonly slices: readonly Slice[] }) {
  return (
    <div class="chips" aria-hidden="true">
      {squaresOf(slices).map(({ kind }, index) => (
        <i key={index} data-kind={kind} />
      ))}
    </div>
  );
}
