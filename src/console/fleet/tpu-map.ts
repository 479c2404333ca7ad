/** Chips of a TPU zone as squares: own slices, slices of others, free chips. */
import type { TpuFleet, TpuJob, TpuJobSummary } from '../../client/api-types.ts';
import { listed, numberOf } from '../numbers.ts';

/** Chips of one own job, of all other jobs, or free chips. */
export interface Slice {
  readonly kind: 'own' | 'other' | 'free';
  readonly chips: number;
  /** Job that has them; only of own slices. */
  readonly jobId?: string;
}

/** A zone and its slices. */
export interface ZoneMap {
  readonly zone: string;
  /** Chips of one type. */
  readonly types: readonly {
    readonly tpuType: string;
    readonly chips: number;
    readonly free: number;
    readonly slices: readonly Slice[];
  }[];
  readonly jobsPlaced: number;
  readonly jobsWaiting: number;
}

/**
 * Slices of each zone. The API gives the number of chips in use, and the number of chips of each own job. The position
 * of a slice on the map has no meaning.
 *
 * @param jobs - Own jobs that have not ended.
 */
export function zoneMaps({ zones }: TpuFleet, jobs: readonly TpuJobSummary[]): readonly ZoneMap[] {
  return zones.map(({ zone, types, jobs_placed: jobsPlaced, jobs_waiting: jobsWaiting }) => ({
    zone,
    jobsPlaced,
    jobsWaiting,
    types: types.map(({ tpu_type: tpuType, chips, available_chips: free }) => {
      const own = jobs.filter(
        (job) => job.placed === true && job.zone === zone && job.tpu_type === tpuType,
      );
      return { tpuType, chips, free, slices: slicesOf(chips - free, free, own) };
    }),
  }));
}

/** Fleet and jobs come from two requests. Own jobs that exceed the chips in use are left out. */
function slicesOf(used: number, free: number, own: readonly TpuJobSummary[]): readonly Slice[] {
  const slices: Slice[] = [];
  let rest = used;
  for (const { chips, job_id: jobId } of own) {
    if (chips > rest) continue;
    slices.push({ kind: 'own', chips, jobId });
    rest -= chips;
  }
  if (rest > 0) slices.push({ kind: 'other', chips: rest });
  if (free > 0) slices.push({ kind: 'free', chips: free });
  return slices;
}

/** A zone in words: "us-central2-b: 60 of 64 v4 chips are free. 1 job has chips, 0 wait." */
export function zoneInWords({ types, jobsPlaced, jobsWaiting }: ZoneMap): string {
  const chips = types.map(
    ({ tpuType, chips, free }) => `${free} of ${chips} ${tpuType} chips are free`,
  );
  return `${listed(chips)}. ${numberOf(jobsPlaced, 'job has', 'jobs have')} chips, ${numberOf(jobsWaiting, 'job waits', 'jobs wait')} for chips.`;
}

/** Squares of the map, one per chip, in the order of the slices. */
export function squaresOf(slices: readonly Slice[]): readonly Pick<Slice, 'kind' | 'jobId'>[] {
  return slices.flatMap(({ chips, ...slice }) => Array.from({ length: chips }, () => slice));
}

/** The slice of a job in its zone, whatever else the zone does; undefined if the fleet has no such zone. */
export function sliceInZone(
  { zones }: Pick<TpuFleet, 'zones'>,
  job: Pick<TpuJob, 'zone' | 'tpu_type' | 'chips'>,
): readonly Slice[] | undefined {
  const zone = zones.find((each) => each.zone === job.zone);
  const type = zone?.types.find((each) => each.tpu_type === job.tpu_type);
  if (type === undefined || type.chips < job.chips) return undefined;
  const rest = type.chips - job.chips;
  return [
    { kind: 'own', chips: job.chips },
    ...(rest > 0 ? [{ kind: 'free' as const, chips: rest }] : []),
  ];
}

/** A slice in words: "The job had 8 of the 64 v4 chips of us-central2-b." */
export function sliceInWords(
  slices: readonly Slice[],
  {
    status,
    placed,
    zone,
    tpu_type: tpuType,
    chips,
    started_at: startedAt,
  }: Pick<TpuJob, 'status' | 'placed' | 'zone' | 'tpu_type' | 'chips' | 'started_at'>,
): string {
  const total = slices.reduce((sum, each) => sum + each.chips, 0);
  const isActive = status === 'queued' || status === 'running';
  const ended = startedAt === undefined ? 'asked for' : 'had';
  const verb = !isActive ? ended : placed === true ? 'has' : 'waits for';
  return (
    `The job ${verb} ${chips} of the ${numberOf(total, `${tpuType} chip`)} of ${zone}. ` +
    'The position of a slice has no meaning.'
  );
}
