/**
 * Entry of the child process that looks for adapters: lists them, opens each once for its limits,
 * sends one AdapterDiscovery to its parent and ends.
 *
 * A process of its own, because a broken driver can crash or hang the process that loads it. Dawn lists
 * all adapters only in the text of an error, and picks one by a part of its name: identical cards share
 * the limits of the first of them.
 */
import type { Adapter, AdapterDiscovery, ListedAdapter } from './adapter-report.ts';
import { isSoftwareAdapter, NO_DRIVER, parseListing } from './adapter-report.ts';

type CreateGpu = (flags: string[]) => GPU;

/** Matches no adapter's name. */
const NO_ADAPTER = 'adapter=\u0001none';

/** Strong references: a collected GPU object aborts the process. */
const held: GPU[] = [];

async function listing(create: CreateGpu): Promise<readonly ListedAdapter[]> {
  const gpu = create([NO_ADAPTER]);
  held.push(gpu);
  try {
    await gpu.requestAdapter();
    return [];
  } catch (error) {
    return parseListing(error instanceof Error ? error.message : String(error));
  }
}

async function open(create: CreateGpu, listed: ListedAdapter): Promise<Adapter | undefined> {
  const gpu = create([`backend=${listed.backend}`, `adapter=${listed.name}`]);
  held.push(gpu);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) return undefined;
  const { info, limits } = adapter;
  return {
    ...listed,
    vendor: info.vendor,
    architecture: info.architecture,
    description: info.description,
    isSoftware: isSoftwareAdapter({
      isFallback: info.isFallbackAdapter,
      names: [listed.name, info.description, info.architecture],
    }),
    limits: {
      maxBufferSize: limits.maxBufferSize,
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    },
    features: [...adapter.features].sort(),
  };
}

async function discover(): Promise<AdapterDiscovery> {
  // Loaded here, so that a missing or broken native module is an answer and not a crash.
  const { create } = await import('webgpu');
  const listed = await listing(create);
  if (listed.length === 0) return { adapters: [], reason: NO_DRIVER };
  const opened = new Map<string, Adapter | undefined>();
  const refused: string[] = [];
  const adapters: Adapter[] = [];
  for (const entry of listed) {
    const key = `${entry.backend}:${entry.name}`;
    if (!opened.has(key)) {
      opened.set(key, await open(create, entry).catch(() => undefined));
    }
    const adapter = opened.get(key);
    if (adapter === undefined) refused.push(entry.name);
    else adapters.push(adapter);
  }
  if (refused.length === 0) return { adapters };
  return { adapters, reason: `WebGPU could not open: ${refused.join(', ')}.` };
}

async function answer(): Promise<AdapterDiscovery> {
  try {
    return await discover();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { adapters: [], reason: `WebGPU could not be loaded: ${message}` };
  }
}

process.send?.(await answer(), () => process.exit(0));
