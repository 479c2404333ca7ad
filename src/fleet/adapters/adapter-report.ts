/** Report on the machine's GPU adapters: plain data, and how to read it from WebGPU's texts. */

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

/** Result of the search for adapters. */
export interface AdapterDiscovery {
  readonly adapters: readonly Adapter[];
  /** Reason for which the list is empty or lacks adapters that drivers have; absent when it is complete. */
  readonly reason?: string;
}

/** Reason of a discovery in which no driver had an adapter. */
export const NO_DRIVER = 'No GPU driver was found.';

const VULKAN_FAULT = /^Warning: Couldn't load Vulkan: (.*)$/m;
const NO_LOADER = /\blibvulkan\S*: cannot open shared object file/;

/**
 * Why Dawn could not load Vulkan, by the warnings that it printed; undefined if it did load it.
 *
 * @returns A clause without a full stop: "Vulkan’s loader, libvulkan.so.1, is not installed".
 */
export function vulkanFault(warnings: string): string | undefined {
  const fault = VULKAN_FAULT.exec(warnings)?.[1];
  if (fault === undefined) return undefined;
  if (NO_LOADER.test(fault)) return 'Vulkan’s loader, libvulkan.so.1, is not installed';
  return `Vulkan could not be loaded: ${fault}`;
}

/** The discovery, with the fault of Vulkan in its reason where no driver was found. */
export function withDriverFault(discovery: AdapterDiscovery, warnings: string): AdapterDiscovery {
  const fault = vulkanFault(warnings);
  if (discovery.reason !== NO_DRIVER || fault === undefined) return discovery;
  return { ...discovery, reason: `No GPU driver was found: ${fault}.` };
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

/** Whether an adapter computes on the CPU, by its own report. */
export function isSoftwareAdapter(adapter: {
  readonly isFallback: boolean;
  readonly names: readonly string[];
}): boolean {
  return adapter.isFallback || adapter.names.some((name) => SOFTWARE_DRIVER.test(name));
}
