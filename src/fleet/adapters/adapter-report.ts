/** What is known of the machine's GPU adapters: plain data, and how WebGPU's texts become it. */

/** Limits that decide how a state is laid out on an adapter. */
export interface AdapterLimits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
}

/** An adapter as WebGPU names it. */
export interface Adapter {
  /** The driver's name for it: "NVIDIA H200". */
  readonly name: string;
  readonly backend: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
  /** A driver that computes on the CPU; never counted as a GPU. */
  readonly isSoftware: boolean;
  readonly limits: AdapterLimits;
  /** WebGPU feature names, sorted. */
  readonly features: readonly string[];
}

/** What discovery found. */
export interface AdapterDiscovery {
  readonly adapters: readonly Adapter[];
  /** Why the list is empty or shorter than what the drivers offer; absent when it is complete. */
  readonly reason?: string;
}

/** An adapter of Dawn's listing. */
export interface ListedAdapter {
  readonly backend: string;
  readonly name: string;
}

/** Backends in which an adapter is looked for; others list the same hardware a second time. */
const BACKENDS: readonly string[] = ['vulkan', 'metal', 'd3d12'];

const LISTED = /^ \* backend: '([^']*)', name: '(.*)'$/gm;

/** Reads the adapters, identical ones each, out of the text with which Dawn refuses an unknown name. */
export function parseListing(text: string): readonly ListedAdapter[] {
  return [...text.matchAll(LISTED)]
    .map(([, backend = '', name = '']) => ({ backend, name }))
    .filter(({ backend }) => BACKENDS.includes(backend));
}

const SOFTWARE_DRIVER = /llvmpipe|lavapipe|softpipe|swiftshader|software|basic render|\bwarp\b/i;

/** Whether an adapter computes on the CPU, by what it says of itself. */
export function isSoftwareAdapter(adapter: {
  readonly isFallback: boolean;
  readonly names: readonly string[];
}): boolean {
  return adapter.isFallback || adapter.names.some((name) => SOFTWARE_DRIVER.test(name));
}
