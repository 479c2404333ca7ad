/**
 * Request for a slice of the fleet, type, zone and number of chips, and the modelled duration of a job on it: the
 * floating-point operations of its circuits over the slice's effective rate, plus a start-up time.
 *
 * A state-vector simulation is bound by memory, not by arithmetic: a gate on one qubit does 14 operations
 * for each 16 bytes that it reads and writes. So the assumed fraction of the peak is small. Both
 * constants are assumptions; nothing was timed, and every answer states them.
 */
import type { Fault } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import {
  TPU_CHIPS,
  TPU_POOLS,
  TPU_TYPES,
  TPU_ZONES,
  type TpuPool,
  type TpuType,
} from './tpu-zones.ts';

/** Default number of chips of a slice. */
export const DEFAULT_SLICE_CHIPS = 4;

/** A slice request, with field names as in the API. */
export interface SliceRequest {
  readonly tpu_type: string;
  readonly zone: string;
  /** Number of chips; 4 unless given. */
  readonly chips?: number | undefined;
}

/** A request that the fleet can meet, now or later. */
export interface SliceShape {
  readonly zone: string;
  readonly tpuType: TpuType;
  readonly chips: number;
}

/** Slice sizes in ascending order: powers of two, up to all chips of the type in the zone. */
export function sliceSizesOf({ chips }: Pick<TpuPool, 'chips'>): readonly number[] {
  return Array.from({ length: Math.floor(Math.log2(chips)) + 1 }, (_, power) => 2 ** power);
}

/** Slice sizes of a type in any zone, up to the largest. */
export function sliceSizesOfType(tpuType: TpuType): readonly number[] {
  const pools = TPU_POOLS.filter((pool) => pool.tpuType === tpuType);
  return sliceSizesOf({ chips: Math.max(...pools.map(({ chips }) => chips)) });
}

/**
 * Faults of a request; none if the fleet can meet it.
 *
 * @param request - Without the fields that are missing or of a wrong type; the others are checked.
 */
export function sliceFaults({
  tpu_type,
  zone,
  chips,
}: { readonly [K in keyof SliceRequest]?: SliceRequest[K] | undefined }): readonly Fault[] {
  const faults: Fault[] = [];
  const ofType = TPU_POOLS.filter(({ tpuType }) => tpuType === tpu_type);
  if (tpu_type !== undefined && ofType.length === 0) {
    const message = `There is no type ${quoted(tpu_type)}; there are ${TPU_TYPES.join(', ')}.${didYouMean(tpu_type, TPU_TYPES)}`;
    faults.push({ path: 'tpu_type', message });
  }
  if (zone !== undefined && !TPU_ZONES.includes(zone)) {
    const message = `There is no zone ${quoted(zone)}; there are ${TPU_ZONES.join(', ')}.${didYouMean(zone, TPU_ZONES)}`;
    faults.push({ path: 'zone', message });
  }
  if (faults.length > 0 || tpu_type === undefined || zone === undefined) return faults;
  const pool = ofType.find((other) => other.zone === zone);
  if (pool === undefined) {
    const where = ofType.map((other) => other.zone).join(', ');
    return [
      { path: 'zone', message: `${zone} has no ${tpu_type}; these zones have it: ${where}.` },
    ];
  }
  if (chips === undefined || sliceSizesOf(pool).includes(chips)) return [];
  const sizes = sliceSizesOf(pool).join(', ');
  const message = `${chips} chips make no slice of ${tpu_type} in ${zone}; these do: ${sizes}.`;
  return [{ path: 'chips', message }];
}

/** The slice that a valid request asks for. */
export function sliceShapeOf({
  tpu_type,
  zone,
  chips = DEFAULT_SLICE_CHIPS,
}: SliceRequest): SliceShape {
  const pool = TPU_POOLS.find((other) => other.zone === zone && other.tpuType === tpu_type);
  if (pool === undefined) throw new Error(`unreachable: there is no ${tpu_type} in ${zone}`);
  return { zone, tpuType: pool.tpuType, chips };
}

/** The caller's text, cut to a length that suits a message. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

/** Fraction of a chip's bf16 peak that circuits are assumed to reach. */
export const ASSUMED_UTILISATION = 0.004;

/** Assumed time to start a job on a slice, milliseconds. */
export const ASSUMED_DISPATCH_MS = 5;

/** A duration and its basis. */
export interface ModelledDuration {
  /** Milliseconds. */
  readonly ms: number;
  readonly basis: 'modelled';
  readonly how: string;
}

/** Time that a number of floating-point operations would take on a slice, milliseconds. */
export function modelledMs(
  flops: number,
  { chips, tpuType }: Pick<SliceShape, 'chips' | 'tpuType'>,
): number {
  const flopsPerMs = chips * TPU_CHIPS[tpuType].bf16Tflops * 1e9 * ASSUMED_UTILISATION;
  return ASSUMED_DISPATCH_MS + flops / flopsPerMs;
}

/** Modelled duration with its basis. */
export function modelledDuration(
  flops: number,
  slice: Pick<SliceShape, 'chips' | 'tpuType'>,
): ModelledDuration {
  const { chips, tpuType } = slice;
  const { bf16Tflops } = TPU_CHIPS[tpuType];
  const how = `${ASSUMED_DISPATCH_MS} ms to start, and the job's ${flops} counted floating-point operations at ${chips} × ${bf16Tflops} TFLOP/s (bf16 peak of ${tpuType}) × ${ASSUMED_UTILISATION} (assumed utilisation). Nothing was timed on such a chip.`;
  return { ms: modelledMs(flops, slice), basis: 'modelled', how };
}
