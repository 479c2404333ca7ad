/**
 * Loads the WebAssembly modules that scripts/build-wasm.ts builds from assembly/: one for each
 * precision, with fused multiply-add if the host has relaxed SIMD and without it otherwise.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Exports of a module. Numbers are addresses, or sizes in bytes, unless said otherwise. */
export interface KernelExports {
  /** Assigns this thread its scratch memory, `threadBytes` long. */
  setScratch(at: number): void;
  /**
   * Claims and does items of a command, in at most `maxClaims` claims.
   *
   * @returns 1 when no item is left.
   */
  work(command: number, maxClaims: number): number;
  fillOnes(table: number, bytes: number): void;
  multiplySubcube(first: number, free: number, at: number): void;
  /** The masses of a qubit in a range of groups, two doubles at `out`; 64 bytes of scratch. */
  rangeMasses(
    at: number,
    bytes: number,
    distance: number,
    laneBit: number,
    scratch: number,
    out: number,
  ): void;
  collapsePairs(
    first: number,
    free: number,
    distance: number,
    outcome: 0 | 1,
    left: 0 | 1,
    scale: number,
  ): void;
  /** 32 bytes of scratch. */
  collapseLanes(
    at: number,
    bytes: number,
    laneBit: number,
    outcome: 0 | 1,
    left: 0 | 1,
    scale: number,
    scratch: number,
  ): void;
  /** Cumulative sums of a small state in logical order; gives the norm. */
  addUpState(
    state: number,
    numQubits: number,
    images: number,
    offsets: number,
    sums: number,
  ): number;
  /** Draws the shots `from` to `to` from cumulative sums; uses 32 bytes of scratch. */
  drawShots(
    sums: number,
    numQubits: number,
    norm: number,
    seedLow: number,
    seedHigh: number,
    event: number,
    from: number,
    to: number,
    numbers: number,
    histogram: number,
    scratch: number,
  ): void;
  /**
   * Lists the non-empty bins of a histogram.
   *
   * @returns Their number.
   */
  listHistogram(histogram: number, count: number, indices: number, occurrences: number): number;
  /** Replaces 32-bit counts by their exclusive prefix sums, followed by the total. */
  startsOfCounts(counts: number, numCounts: number): void;
  /**
   * Replaces doubles by their exclusive prefix sums, followed by the total.
   *
   * @returns The total.
   */
  startsOfMasses(masses: number, numMasses: number): number;
  /**
   * Moves samples that occur to the front.
   *
   * @returns Their number.
   */
  compactSamples(indices: number, occurrences: number, count: number): number;
}

/** Scratch for the tile program and the scales of tiles. */
const SCRATCH_BYTES = 16_384;
/** Lists of the products of a tile's halves: as many reals as half a tile has amplitudes, and again while they fold. */
const LISTS_BYTES = 128 * 1024;
/** Tiles that a thread gathers together, at most, and bytes of them. */
const TILES_TOGETHER = 4;
const BYTES_TOGETHER = 2 ** 19;
/** Scratch for reading a state: a tile of 128 KiB and lists, or a bundle of 12 qubits, 385 KiB. */
const READOUT_BYTES = 400 * 1024;

/** Bytes of a thread's scratch and tiles. */
export function threadBytes(tileBytes: number): number {
  const tiles = Math.min(TILES_TOGETHER * tileBytes, BYTES_TOGETHER);
  return SCRATCH_BYTES + LISTS_BYTES + Math.max(tiles, READOUT_BYTES);
}

const modules = new Map<string, WebAssembly.Module>();

/**
 * The compiled module of a precision, for this host; shared by all threads it is sent to.
 *
 * @param isReproducible - Whether it does without fused multiply-add on every host.
 */
export function kernelModule(
  precision: 'f32' | 'f64',
  isReproducible: boolean,
): WebAssembly.Module {
  const key = `${precision} ${isReproducible}`;
  const known = modules.get(key);
  if (known !== undefined) return known;
  const relaxed = wasmUrl(`${precision}-relaxed`);
  const plain = wasmUrl(precision);
  if (!existsSync(plain)) {
    throw new Error(`${fileURLToPath(plain)} is missing: run "npm run build:wasm" first.`);
  }
  const bytes = readFileSync(isReproducible ? plain : relaxed);
  const module = new WebAssembly.Module(WebAssembly.validate(bytes) ? bytes : readFileSync(plain));
  modules.set(key, module);
  return module;
}

function wasmUrl(name: string): URL {
  return new URL(`./wasm/${name}.wasm`, import.meta.url);
}

/** Instantiates the kernels over the shared memory, for the calling thread. */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): KernelExports {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return exports as unknown as KernelExports;
}
