/**
 * Data of the modelled TPU fleet: chips by zone and type, and their rated performance.
 *
 * The service has no such chips: jobs are placed on the model while their work runs on the service's
 * processors. Every figure in the API carries `MODELLED`.
 *
 * @see The vendor's Cloud TPU pages for the figures of a chip; the zones follow the shape of a TPU
 *   Research Cloud grant, one of whose allocations is split in two to make six zones.
 */

/** TPU types, in the order of listings. */
export const TPU_TYPES = ['v4', 'v5e', 'v6e'] as const;

/** Name of a TPU type. */
export type TpuType = (typeof TPU_TYPES)[number];

/** Figures of a chip type. */
export interface TpuChip {
  /** Peak of bf16 arithmetic, 10^12 floating-point operations per second. */
  readonly bf16Tflops: number;
  /** Number of chips in the largest pod. */
  readonly podChips: number;
}

/** Chip figures by type. */
export const TPU_CHIPS: Readonly<Record<TpuType, TpuChip>> = {
  v4: { bf16Tflops: 275, podChips: 4096 },
  v5e: { bf16Tflops: 197, podChips: 256 },
  v6e: { bf16Tflops: 918, podChips: 256 },
};

/** Chips of one type in one zone. */
export interface TpuPool {
  readonly zone: string;
  readonly tpuType: TpuType;
  /** Number of chips; a power of two. */
  readonly chips: number;
}

/** Pools of the fleet. */
export const TPU_POOLS: readonly TpuPool[] = [
  { zone: 'us-central2-b', tpuType: 'v4', chips: 64 },
  { zone: 'europe-west4-b', tpuType: 'v5e', chips: 64 },
  { zone: 'us-central1-a', tpuType: 'v5e', chips: 64 },
  { zone: 'europe-west4-a', tpuType: 'v6e', chips: 64 },
  { zone: 'us-east1-d', tpuType: 'v6e', chips: 32 },
  { zone: 'us-east5-b', tpuType: 'v6e', chips: 32 },
];

/** The zones, each once. */
export const TPU_ZONES: readonly string[] = [...new Set(TPU_POOLS.map(({ zone }) => zone))];

/** Rated tasks per second of the whole fleet. */
export const FLEET_RATED_TASKS_PER_SEC = 105_000_000;

const RATING_STEP = 500_000;

/** Source of the ratings, for readers. */
export const RATING_BASIS = {
  basis: 'modelled',
  how: `The fleet's nominal ${FLEET_RATED_TASKS_PER_SEC} tasks a second, shared among the types by peak bf16 arithmetic (chips times peak of a chip), rounded to ${RATING_STEP}, and among the zones by chips. No task was timed on such a chip.`,
} as const;

/** Number of chips of a type over all zones. */
export function chipsOfType(tpuType: TpuType): number {
  return sumOf(TPU_POOLS, (pool) => (pool.tpuType === tpuType ? pool.chips : 0));
}

/** Rated tasks per second of a type over all zones. */
export function ratedTasksPerSecOf(tpuType: TpuType): number {
  const peakOf = (type: TpuType) => chipsOfType(type) * TPU_CHIPS[type].bf16Tflops;
  const share = peakOf(tpuType) / sumOf(TPU_TYPES, peakOf);
  return Math.round((FLEET_RATED_TASKS_PER_SEC * share) / RATING_STEP) * RATING_STEP;
}

/** Rated tasks per second of one pool. */
export function ratedTasksPerSecOfPool({ tpuType, chips }: TpuPool): number {
  return (ratedTasksPerSecOf(tpuType) * chips) / chipsOfType(tpuType);
}

function sumOf<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}
