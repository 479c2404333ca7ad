/**
 * Finds the GPU adapters that WebGPU sees on this machine, from the safety of a short-lived child
 * process: whatever the drivers do, this process neither crashes nor hangs, and it never loads them.
 *
 * Also finds the graphics cards that the system lists, with their memory: WebGPU tells neither how much an adapter has
 * nor where it sits. Asked of NVIDIA's own tool and of Linux's amdgpu driver; of other drivers nothing is known.
 */

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { childProcess } from '../../processes/child-process.ts';
import { type AdapterDiscovery, withDriverFault } from './adapter-report.ts';

const PROBE = new URL(`./adapter-probe${extname(import.meta.url)}`, import.meta.url);

/** Options of the discovery. */
export interface DiscoveryOptions {
  /** After this long the child is ended; default 15 s, for drivers of many cards start slowly. */
  readonly timeoutMs?: number;
  /** The child's whole environment, instead of this process's own: it may choose the drivers. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Ends the search. */
  readonly signal?: AbortSignal;
  /** The child's module; the product's own unless a test brings another. */
  readonly probe?: URL;
}

/** Lists the adapters; an empty list comes with its reason. Never rejects. */
export function discoverAdapters(options: DiscoveryOptions = {}): Promise<AdapterDiscovery> {
  const { probe = PROBE, timeoutMs = 15_000, environment, signal } = options;
  const { promise, resolve } = Promise.withResolvers<AdapterDiscovery>();
  let found: AdapterDiscovery | undefined;
  const end = (how: string) =>
    resolve(found ?? { adapters: [], reason: `Looking for GPU adapters ${how}.` });
  const child = childProcess<never, AdapterDiscovery>({
    entry: probe,
    setup: {},
    ...(environment && { environment }),
  })({
    onMessage: (discovery) => {
      found = discovery;
    },
    onExit: ({ how, inFull = how, lastWords = '' }) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (found !== undefined) found = withDriverFault(found, lastWords);
      end(`ended with ${inFull}`);
    },
  });
  child.setHolding(true);
  // Not once the process has ended: a process that waits for a driver may not end at all.
  const giveUp = (how: string) => {
    end(how);
    child.kill();
  };
  const timer = setTimeout(() => giveUp(`took more than ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => giveUp('was stopped');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  return promise;
}

/** A card of the system. */
export interface GpuCard {
  /** `0000:81:00.0`. */
  readonly pciAddress: string;
  /** Vendor in WebGPU's spelling: `nvidia`, `amd`. */
  readonly vendor: string;
  /** The driver's name for it, where the tool that was asked knows it. */
  readonly name?: string;
  readonly totalBytes: number;
  /** Free part of the total when the system was asked. */
  readonly freeBytes: number;
}

const MIB = 2 ** 20;
const TIMEOUT_MS = 10_000;
const QUERY = [
  '--query-gpu=pci.bus_id,memory.total,memory.free,name',
  '--format=csv,noheader,nounits',
];
const DRM = '/sys/class/drm';

/** The cards that can be found out about; none is no error. */
export async function findGpuCards(drmFolder = DRM): Promise<readonly GpuCard[]> {
  const [nvidia, amd] = await Promise.all([nvidiaCards(), amdCards(drmFolder)]);
  return [...nvidia, ...amd];
}

async function nvidiaCards(): Promise<readonly GpuCard[]> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', QUERY, { timeout: TIMEOUT_MS });
    return parseNvidiaSmi(stdout);
  } catch {
    // No such tool, or no driver for it to ask.
    return [];
  }
}

/** Reads the lines of `nvidia-smi`: bus id, MiB in all, MiB free, name. Unknown figures are left out. */
export function parseNvidiaSmi(text: string): readonly GpuCard[] {
  return text.split('\n').flatMap((line) => {
    const [, domain = '', rest = '', total, free, name] =
      /^\s*([0-9a-f]+):([0-9a-f:.]+), *(\d+), *(\d+), *(.+?)\s*$/i.exec(line) ?? [];
    if (name === undefined) return [];
    return {
      // NVIDIA writes the domain with eight digits, the kernel with four.
      pciAddress: `${domain.slice(-4)}:${rest}`.toLowerCase(),
      vendor: 'nvidia',
      name,
      totalBytes: Number(total) * MIB,
      freeBytes: Number(free) * MIB,
    };
  });
}

async function amdCards(folder: string): Promise<readonly GpuCard[]> {
  const entries = await readdir(folder).catch(() => []);
  const cards = entries.filter((entry) => /^card\d+$/.test(entry)).sort();
  const found = await Promise.all(cards.map((card) => amdCard(join(folder, card, 'device'))));
  return found.filter((card) => card !== undefined);
}

async function amdCard(device: string): Promise<GpuCard | undefined> {
  try {
    const read = (name: string) => readFile(join(device, name), 'utf8');
    const [total, used, uevent] = await Promise.all([
      read('mem_info_vram_total'),
      read('mem_info_vram_used'),
      read('uevent'),
    ]);
    const pciAddress = /^PCI_SLOT_NAME=(.+)$/m.exec(uevent)?.[1];
    if (pciAddress === undefined) return undefined;
    const totalBytes = Number(total);
    return { pciAddress, vendor: 'amd', totalBytes, freeBytes: totalBytes - Number(used) };
  } catch {
    // Another driver's card: it has no such files.
    return undefined;
  }
}
