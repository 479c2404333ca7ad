/** The load of the service in words and curves, from its own history. */
import type { ServiceLoad } from '../../client/api-types.ts';
import type { Axis, Series } from '../drawing/plot-data.ts';
import { duration, listed, load, numberOf, timeOfDay } from '../numbers.ts';

type Lane = ServiceLoad['engines'][number];
type Figures = ServiceLoad['hour'];

/** Names of lanes. */
const LANES: Readonly<Record<Lane['kind'], string>> = {
  small: 'Threads for circuits of up to 17 qubits',
  wide: 'Engine on all threads, for wider circuits',
  adapter: 'GPU',
  spread: 'GPUs together',
};

/** Name of a lane; GPUs have their numbers. */
export function laneName({ id, kind }: Pick<Lane, 'id' | 'kind'>): string {
  const number = /\d+$/.exec(id)?.[0];
  return number === undefined ? LANES[kind] : `${LANES[kind]} ${number}`;
}

/** Busy engines of a lane now and over the hour: "1 of 2 busy now, 37% on average". */
export function laneInWords({ id, engines, busy }: Lane, { busy: means }: Figures): string {
  const mean = means[id];
  const over = mean === undefined ? '' : `, ${load(mean / engines)} on average`;
  return `${busy} of ${engines} busy now${over}`;
}

/** Whose history it is: "Kept by the service for the last hour." By its own clock: the visitor's may be wrong. */
export function historyInWords({ node, nodes = 1, since, minutes }: ServiceLoad): string {
  const start = Date.parse(since);
  const isWhole = Date.parse(minutes.at(-1)?.at ?? since) - start >= 58 * 60_000;
  const time = isWhole ? 'for the last hour' : `since its start at ${timeOfDay(start)}`;
  if (node === undefined) return `Kept by the service ${time}.`;
  const others =
    nodes > 1 ? ` ${numberOf(nodes, 'node is', 'nodes are')} up; each keeps its own.` : '';
  return `Kept by the node ${node}, which answered, ${time}: its engines, the jobs that it ran, the requests that it answered.${others}`;
}

/** Failed jobs and requests of a time: "2 of 310 jobs failed (0.6%)". */
export function failuresInWords({
  jobs,
  requests,
}: Figures): readonly [jobs: string, requests: string] {
  const words = (failed: number, all: number, what: string) =>
    `${failed} of ${numberOf(all, what)} failed${failed === 0 ? '' : ` (${load(failed / all)})`}`;
  const ended = jobs.completed + jobs.failed;
  return [words(jobs.failed, ended, 'job'), words(requests.failed, requests.answered, 'request')];
}

/** Percentiles of the latency: "half of all circuits within 3.1 ms, 95% within 12 ms, 99% within 80 ms". */
export function latencyInWords({ latency_ms: latency }: Figures): string | undefined {
  if (latency === undefined) return undefined;
  const within = (ms: number) => (ms < 1 ? '1 ms' : duration(ms));
  return listed([
    `half within ${within(latency.p50)}`,
    `95% within ${within(latency.p95)}`,
    `99% within ${within(latency.p99)}`,
  ]);
}

/** Whether a figure is one of the hour: a share where there were some. */
const share = (part: number, all: number): number => (all === 0 ? NaN : (100 * part) / all);

/** Curves over the minutes of the hour. A minute of which nothing is known is a gap. */
export function loadCurves({ engines, minutes }: ServiceLoad): {
  readonly x: Axis;
  readonly busy: readonly Series[];
  readonly waiting: readonly Series[];
  readonly latency: readonly Series[];
  readonly failures: readonly Series[];
} {
  const last = Date.parse(minutes.at(-1)?.at ?? '');
  const byAge = new Map(minutes.map((each) => [(last - Date.parse(each.at)) / 60_000, each]));
  const oldest = Math.max(0, ...byAge.keys());
  const ages = Array.from({ length: oldest + 1 }, (_, i) => oldest - i);
  const series = (label: string, read: (minute: Figures) => number | undefined): Series => ({
    label,
    values: ages.map((age) => {
      const minute = byAge.get(age);
      return (minute && read(minute)) ?? NaN;
    }),
  });
  return {
    x: { label: 'minutes, now is 0', values: ages.map((age) => (age === 0 ? 0 : -age)) },
    busy: engines.map((lane) =>
      series(laneName(lane), ({ busy }) => {
        const mean = busy[lane.id];
        return mean === undefined ? undefined : (100 * mean) / lane.engines;
      }),
    ),
    waiting: [
      series('on average', ({ waiting }) => waiting?.mean),
      series('at most', ({ waiting }) => waiting?.most),
    ],
    latency: (
      [
        ['half of all', 'p50'],
        ['95%', 'p95'],
        ['99%', 'p99'],
      ] as const
    ).map(([label, name]) => series(label, ({ latency_ms: latency }) => latency?.[name])),
    failures: [
      series('jobs', ({ jobs }) => share(jobs.failed, jobs.completed + jobs.failed)),
      series('requests', ({ requests }) => share(requests.failed, requests.answered)),
    ],
  };
}
