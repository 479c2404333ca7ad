/** WebGPU engine for `qcs run --engine webgpu`, in this process, on the first usable adapter. */
import { discoverAdapters, findGpuCards } from '../fleet/adapters/adapter-discovery.ts';
import { planAdapters } from '../fleet/adapters/adapter-plan.ts';
import { openAdapter } from '../fleet/adapters/open-adapter.ts';
import type { EngineChoice } from './circuit-file.ts';
import { engineSpec, type LocalEngine, type LocalSurroundings } from './engine-processor.ts';
import { NoUsableAdapterError, OptionsConflictError } from './errors.ts';

/**
 * Opens the WebGPU engine that the options describe.
 *
 * @throws {OptionsConflictError} if the options set threads or a precision other than f32.
 * @throws {NoUsableAdapterError} if no adapter is usable.
 */
export async function openOnAdapter(
  { threads, precision = 'f32' }: EngineChoice,
  { config, machine }: LocalSurroundings,
): Promise<LocalEngine> {
  if (precision !== 'f32') {
    throw new OptionsConflictError('The WebGPU engine computes in f32 only.');
  }
  if (threads !== undefined) {
    throw new OptionsConflictError('--threads is for the CPU engine; an adapter has its own.');
  }
  const discovery = await discoverAdapters();
  const { used, unused } = await planAdapters(discovery, {
    useSoftware: config.useSoftwareAdapters,
    softwareMemoryBytes: config.memoryBytes ?? machine.memoryBytes / 2,
    ...(config.gpuMemoryBytes !== undefined && { memoryBytes: config.gpuMemoryBytes }),
    cards: await findGpuCards(),
    // Do not probe: the engine opens one adapter in this process and keeps the environment unchanged.
    probe: async () => ({ adapters: [] }),
  });
  const [plan] = used;
  if (plan === undefined) throw new NoUsableAdapterError(discovery.reason, unused);
  const { backend, name, isSoftware } = plan.adapter;
  const { bytes } = plan.memory;
  const { engine } = await openAdapter({
    adapter: { backend, name },
    memoryBytes: bytes,
    tuningFolder: config.dataDir,
  });
  return {
    engine,
    numThreads: undefined,
    precision,
    hardware: isSoftware ? `${name} (software)` : name,
    spec: engineSpec(engine, precision, { bytes, setting: 'QCS_GPU_MEMORY_MIB' }, config),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}
