/** Candidate shapes of tiles and workgroups. */
import { AMPLITUDE_BYTES } from '../gpu-state.ts';
import { DEFAULT_TILE_QUBITS } from '../gpu-target.ts';
import { REGISTER_QUBITS } from '../sweep/sweep-code.ts';
import { maxTileQubits, type TileShape, tileShape } from '../sweep/sweep-kernel.ts';

/**
 * Tile qubits and threads of a workgroup, most promising first: time may end before the last is
 * measured. Larger tiles save sweeps. Larger workgroups hide memory latency; smaller ones let more
 * of them run. A tile of fewer than 10 qubits would read memory in shorter runs.
 */
const SHAPES: readonly (readonly [tileQubits: number, workgroupSize: number])[] = [
  [11, 128],
  [12, 256],
  [10, 128],
  [11, 256],
  [13, 512],
  [10, 256],
];

/** The shape of a device that has not been tuned. */
function defaultShape(limits: GPUSupportedLimits): TileShape {
  return tileShape(Math.min(DEFAULT_TILE_QUBITS, maxTileQubits(limits)));
}

/** The shapes that a device's workgroups hold, the default one first. */
export function candidatesFor(limits: GPUSupportedLimits): readonly TileShape[] {
  const first = defaultShape(limits);
  const others = SHAPES.map((sizes) => tileShape(...sizes)).filter(
    (shape) =>
      fits(shape, limits) &&
      (shape.tileQubits !== first.tileQubits || shape.tilesPerGroup !== first.tilesPerGroup),
  );
  return [first, ...others];
}

/** Whether a device's workgroups hold so many tiles of that size. */
export function fits(
  { tileQubits, tilesPerGroup }: TileShape,
  limits: GPUSupportedLimits,
): boolean {
  const amplitudes = tilesPerGroup * 2 ** tileQubits;
  const threads = amplitudes / 2 ** REGISTER_QUBITS;
  return (
    Number.isInteger(Math.log2(tilesPerGroup)) &&
    amplitudes * AMPLITUDE_BYTES <= limits.maxComputeWorkgroupStorageSize &&
    threads <= limits.maxComputeInvocationsPerWorkgroup &&
    threads <= limits.maxComputeWorkgroupSizeX
  );
}
