/**
 * Plans the adapters that are used, each with its process's environment and the memory that it may fill, and reports
 * their state, for people who ask about the hardware of their circuits.
 *
 * WebGPU picks an adapter by a part of its name, so of adapters of one name it always picks the first.
 * Mesa's device-select layer, where it is installed, shows a process only the card at the PCI address
 * that DRI_PRIME names, whichever driver the card has. A test checks that this works here: a process
 * with the address must list exactly one adapter of the name. If it does not, one of them is used and
 * the others are reported as unused.
 */

import type { Availability } from '../processor.ts';
import type { AdapterPool } from '../workers/engine-pool.ts';
import type { EngineReport } from '../workers/worker-messages.ts';
import type { GpuCard } from './adapter-discovery.ts';
import type { Adapter, AdapterDiscovery } from './adapter-report.ts';

/** Memory for the states of an adapter, and where the figure is from. */
export interface AdapterMemory {
  readonly bytes: number;
  /**
   * `setting`: set by the operator. `driver`: free memory of the card, less a reserve.
   * `machine`: a share of the machine's memory, for an adapter that is software. `buffer`: not known;
   * one buffer as large as the adapter allows.
   */
  readonly basis: 'setting' | 'driver' | 'machine' | 'buffer';
}

/** An adapter that is used. */
export interface AdapterPlan {
  readonly adapter: Adapter;
  readonly memory: AdapterMemory;
  /** Added to the environment of its process, so that it sees this card alone. */
  readonly pin?: Readonly<Record<string, string>>;
}

/** Plan for the adapters found. */
export interface AdapterPlans {
  readonly used: readonly AdapterPlan[];
  readonly unused: readonly { readonly adapter: Adapter; readonly reason: string }[];
}

/** Facts that the plan is made from. */
export interface PlanOptions {
  /** Whether software adapters are used. */
  readonly useSoftware: boolean;
  /** Bytes for the states of one adapter, as the operator set it. */
  readonly memoryBytes?: number;
  /** Bytes for the states of all software adapters together. */
  readonly softwareMemoryBytes: number;
  readonly cards: readonly GpuCard[];
  /** Looks for adapters with these variables added to the environment. */
  readonly probe: (pin: Readonly<Record<string, string>>) => Promise<AdapterDiscovery>;
}

/** Bytes of a card's memory kept free of states: for code, programs and results. */
export const RESERVE_BYTES = 2 ** 29;

/** Plans how each adapter is used, or why it is not. */
export async function planAdapters(
  { adapters }: AdapterDiscovery,
  options: PlanOptions,
): Promise<AdapterPlans> {
  const usable = adapters.filter(({ isSoftware }) => options.useSoftware || !isSoftware);
  const numSoftware = usable.filter(({ isSoftware }) => isSoftware).length;
  const groups = Map.groupBy(usable, ({ backend, name }) => `${backend}:${name}`);
  const used: AdapterPlan[] = [];
  const unused = adapters
    .filter((adapter) => !usable.includes(adapter))
    .map((adapter) => ({
      adapter,
      reason: 'It is software, and QCS_SOFTWARE_ADAPTERS is not 1.',
    }));
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    const cards = options.cards.filter((card) => isCardOf(card, first));
    const softwareShare = options.softwareMemoryBytes / numSoftware;
    const memory = (of: readonly GpuCard[]) => memoryOf(first, of, softwareShare, options);
    const pins = others.length === 0 ? undefined : await pinsOf([first, ...others], cards, options);
    if (pins === undefined) used.push({ adapter: first, memory: memory(cards) });
    for (const { card, pin } of pins ?? [])
      used.push({ adapter: first, memory: memory([card]), pin });
    const left = pins === undefined ? others : [];
    const reason = `It has the name of another adapter, ${first.name}, and this driver cannot be told to open it and not that one.`;
    unused.push(...left.map((adapter) => ({ adapter, reason })));
  }
  return { used, unused };
}

/** Whether an adapter may be that card. */
export function isCardOf(
  card: GpuCard,
  { name, vendor }: Pick<Adapter, 'name' | 'vendor'>,
): boolean {
  return card.name === undefined ? card.vendor === vendor : card.name === name;
}

/** One pin for each of the adapters, proven; undefined if they cannot be distinguished. */
async function pinsOf(
  adapters: readonly Adapter[],
  cards: readonly GpuCard[],
  { probe }: PlanOptions,
) {
  if (cards.length !== adapters.length) return undefined;
  const pinned = cards.map((card) => ({
    card,
    pin: { DRI_PRIME: `pci-${card.pciAddress.replaceAll(/[:.]/g, '_')}!` },
  }));
  const name = adapters[0]?.name;
  const seen = await Promise.all(pinned.map(({ pin }) => probe(pin)));
  const isProven = seen.every(
    (found) => found.adapters.filter((adapter) => adapter.name === name).length === 1,
  );
  return isProven ? pinned : undefined;
}

/** Memory for states: the least of the cards that the adapter may be. */
function memoryOf(
  { isSoftware, limits }: Adapter,
  cards: readonly GpuCard[],
  softwareShare: number,
  { memoryBytes }: PlanOptions,
): AdapterMemory {
  if (memoryBytes !== undefined) return { bytes: memoryBytes, basis: 'setting' };
  if (isSoftware) return { bytes: softwareShare, basis: 'machine' };
  if (cards.length === 0) return { bytes: limits.maxBufferSize, basis: 'buffer' };
  const free = Math.min(...cards.map(({ freeBytes }) => freeBytes));
  return { bytes: Math.max(0, free - RESERVE_BYTES), basis: 'driver' };
}

/** An adapter, how it is used, and its health. */
export interface AdapterStatus {
  readonly adapter: Adapter;
  /** Whether its last self-test passed. */
  readonly available: boolean;
  /** Why not; present when not available. */
  readonly reason?: string;
  /** Present for an adapter in use. */
  readonly memory?: AdapterMemory;
  /** Variables in its process's environment that show it this card alone, where it needs them. */
  readonly pin?: Readonly<Record<string, string>>;
  /** Id of its process. */
  readonly pid?: number;
  /** Report of its engine; present once it was open. */
  readonly engine?: EngineReport;
}

/** An adapter's engines, and the outcome of their last self-test. */
export interface LaneHealth {
  readonly lane: AdapterPool;
  readonly health: Availability;
}

/** The adapters in use, and then the others. */
export function adapterStatuses(
  { used, unused }: AdapterPlans,
  laneOf: (plan: AdapterPlan) => LaneHealth | undefined,
): readonly AdapterStatus[] {
  return [
    ...used.map((plan) => statusOf(plan, laneOf(plan))),
    ...unused.map(({ adapter, reason }) => ({ adapter, available: false, reason })),
  ];
}

function statusOf({ adapter, memory, pin }: AdapterPlan, found: LaneHealth | undefined) {
  const { available = false, reason = 'It is not open.' } = found?.health ?? {};
  const { pid, report } = found?.lane ?? {};
  return {
    adapter,
    available,
    ...(!available && { reason }),
    memory,
    ...(pin && { pin }),
    ...(pid !== undefined && { pid }),
    ...(report && { engine: report }),
  };
}
