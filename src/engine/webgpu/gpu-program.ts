/** A program on the device: its sweeps as words, and where each begins. */
import type { Program, Sweep } from '../../compiler/program.ts';
import type { GpuContext } from './gpu-context.ts';
import { lowerSweep } from './lower-sweep.ts';
import { PARAMS_BYTES, type SweepKernel } from './sweep-kernel.ts';

/** A uniform binding may begin at each multiple of this on every device. */
const PARAMS_STRIDE_BYTES = 256;
/** Workgroups of a row of a dispatch: WebGPU allows 65,535 in each dimension. */
const MAX_ROW = 2 ** 15;

/** A sweep as a dispatch. */
export interface PlacedSweep {
  /** Of its parameters, in bytes. */
  readonly paramsAt: number;
  readonly row: number;
  readonly numRows: number;
  /** What it costs, for a `WorkWindow`: words of instructions, once for each amplitude. */
  readonly units: number;
}

/** What the runs of a program share. */
export interface GpuProgram {
  /** Of its states: at least a tile's. */
  readonly numQubits: number;
  /** By step; undefined where a step is no sweep. */
  readonly sweeps: readonly (PlacedSweep | undefined)[];
  /** What binds the program and a state's buffer. */
  bindGroup(state: GPUBuffer): GPUBindGroup;
  /** Gives its buffers back. */
  destroy(): void;
}

/** Sweeps as the device reads them. */
interface LoweredSweeps {
  readonly sweeps: readonly (PlacedSweep | undefined)[];
  readonly words: Uint32Array<ArrayBuffer>;
  readonly params: Uint32Array<ArrayBuffer>;
}

/**
 * Lowers a program and brings it to the device.
 *
 * @throws {StateMemoryError} if the device has no memory for it.
 */
export async function placeProgram(
  context: GpuContext,
  kernel: SweepKernel,
  program: Program,
): Promise<GpuProgram> {
  const numQubits = Math.max(program.numQubits, kernel.tileQubits);
  const { sweeps, words, params } = lowerSweeps(program, kernel, numQubits);
  const { STORAGE, UNIFORM } = GPUBufferUsage;
  const code = await uploaded(context, 'program', words, STORAGE);
  const paramsBuffer = await uploaded(context, 'sweep params', params, UNIFORM).catch((error) => {
    code.destroy();
    throw error;
  });
  const bind = (state: GPUBuffer) =>
    context.device.createBindGroup({
      label: 'sweep',
      layout: kernel.bindings,
      entries: [
        { binding: 0, resource: { buffer: state } },
        { binding: 1, resource: { buffer: code } },
        { binding: 2, resource: { buffer: paramsBuffer, size: PARAMS_BYTES } },
      ],
    });
  const bindGroups = new WeakMap<GPUBuffer, GPUBindGroup>();
  return {
    numQubits,
    sweeps,
    bindGroup: (state) => {
      const group = bindGroups.get(state) ?? bind(state);
      bindGroups.set(state, group);
      return group;
    },
    destroy: () => {
      code.destroy();
      paramsBuffer.destroy();
    },
  };
}

function lowerSweeps(
  { steps, matrices }: Program,
  { tileQubits, tilesPerGroup }: SweepKernel,
  numQubits: number,
): LoweredSweeps {
  const stride = PARAMS_STRIDE_BYTES / 4;
  const params = new Uint32Array(Math.max(1, steps.length) * stride);
  const parts: Uint32Array[] = [];
  let firstWord = 0;
  const sweeps = steps.map((step, i): PlacedSweep | undefined => {
    if (step.kind === 'exchange') throw new Error('unreachable: an exchange within one buffer');
    if (step.kind !== 'sweep') return undefined;
    const { words, numTiles } = lowerSweep(step, matrices, tileOf(step, tileQubits), numQubits);
    const numGroups = Math.ceil(numTiles / tilesPerGroup);
    const row = Math.min(numGroups, MAX_ROW);
    // The order of the struct Params.
    params.set([firstWord, 0, numTiles, row], i * stride);
    parts.push(words);
    firstWord += words.length;
    return {
      paramsAt: i * PARAMS_STRIDE_BYTES,
      row,
      numRows: Math.ceil(numGroups / row),
      units: words.length * 2 ** numQubits,
    };
  });
  const words = new Uint32Array(Math.max(4, firstWord));
  let at = 0;
  for (const part of parts) {
    words.set(part, at);
    at += part.length;
  }
  return { sweeps, words, params };
}

/** The sweep's resident qubits and, where they are fewer than a tile's, the lowest others. */
function tileOf({ resident }: Sweep, tileQubits: number): readonly number[] {
  const tile = new Set(resident);
  for (let qubit = 0; tile.size < tileQubits; qubit++) tile.add(qubit);
  return [...tile].sort((a, b) => a - b);
}

async function uploaded(
  context: GpuContext,
  label: string,
  words: Uint32Array<ArrayBuffer>,
  usage: GPUBufferUsageFlags,
): Promise<GPUBuffer> {
  const buffer = await context.allocate(label, words.byteLength, usage | GPUBufferUsage.COPY_DST);
  context.device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}
