/** An operator's order to take something out of service, or back, and such orders after a restart. */
import type { z } from 'zod';
import { RequestInvalidError } from '../errors.ts';
import type { maintenanceBody } from '../schemas/maintenance.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { MaintenanceRecord } from './maintenance-store.ts';

/** Stands after "In maintenance: ". */
const DEFAULT_REASON = 'no reason given';

/** Sets maintenance of a processor or a device; undefined ends it. */
export type Maintenance = Pick<MaintenanceRecord, 'reason'> | undefined;

/**
 * Carries out an order.
 *
 * @param actor - Id of the key that gave it.
 * @param take - Has it take effect.
 * @throws {RequestInvalidError} if it names a reason for going back into service.
 */
export async function carryOut(
  { enabled, reason }: z.output<typeof maintenanceBody>,
  { kind, id }: Pick<MaintenanceRecord, 'kind' | 'id'>,
  actor: string,
  { maintenance, now }: Pick<ServiceDeps, 'maintenance' | 'now'>,
  take: (maintenance: Maintenance) => void,
): Promise<void> {
  // Stored first: what was answered must outlive a crash.
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

/** Puts what was in maintenance when the service stopped back into it. */
export async function restoreMaintenance({
  maintenance,
  fleet,
  devices,
}: Pick<ServiceDeps, 'fleet' | 'devices' | 'maintenance'>): Promise<void> {
  for (const { kind, id, reason } of await maintenance.list()) {
    if (kind === 'processor') fleet.get(id)?.setMaintenance({ reason });
    // A fleet may have had other devices before.
    else if (devices.device(id) !== undefined) devices.setMaintenance(id, { reason });
  }
}
