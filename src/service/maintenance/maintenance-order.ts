/** Operators' orders that start or end maintenance, and their restoration after a restart. */
import type { z } from 'zod';
import { RequestInvalidError } from '../errors.ts';
import type { maintenanceBody } from '../schemas/processors.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { MaintenanceRecord } from './maintenance-store.ts';

/** Text after "In maintenance: ". */
const DEFAULT_REASON = 'no reason given';

/** Sets maintenance of a processor or a device; undefined ends it. */
type Maintenance = Pick<MaintenanceRecord, 'reason'> | undefined;

/**
 * Carries out an order.
 *
 * @param actor - Id of the key that gave the order.
 * @param take - Applies the order.
 * @throws {RequestInvalidError} if an order that ends maintenance has a reason.
 */
export async function carryOut(
  { enabled, reason }: z.output<typeof maintenanceBody>,
  { kind, id }: Pick<MaintenanceRecord, 'kind' | 'id'>,
  actor: string,
  { maintenance, now }: Pick<ServiceDeps, 'maintenance' | 'now'>,
  take: (maintenance: Maintenance) => void,
): Promise<void> {
  // Store first: an answered order must survive a crash.
  if (enabled) {
    const stated = reason ?? DEFAULT_REASON;
    await maintenance.enter({ kind, id, reason: stated, since: now() }, actor);
    take({ reason: stated });
    return;
  }
  if (reason !== undefined) {
    throw new RequestInvalidError([{ path: 'reason', message: 'Only taken with enabled: true.' }]);
  }
  await maintenance.leave({ kind, id }, actor, now());
  take(undefined);
}

/** Restores the maintenance that was stored when the service stopped. */
export async function restoreMaintenance({
  maintenance,
  fleet,
  devices,
}: Pick<ServiceDeps, 'fleet' | 'devices' | 'maintenance'>): Promise<void> {
  for (const { kind, id, reason } of await maintenance.list()) {
    if (kind === 'processor') fleet.get(id)?.setMaintenance({ reason });
    // The fleet may have had other devices then.
    else if (devices.device(id) !== undefined) devices.setMaintenance(id, { reason });
  }
}
