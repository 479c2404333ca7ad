/** Status of each adapter, for people who ask what their circuits run on. */

import type { Availability } from '../processor.ts';
import type { AdapterPool } from '../workers/engine-pool.ts';
import type { EngineReport } from '../workers/worker-messages.ts';
import type { AdapterMemory, AdapterPlan, AdapterPlans } from './adapter-plan.ts';
import type { Adapter } from './adapter-report.ts';

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
