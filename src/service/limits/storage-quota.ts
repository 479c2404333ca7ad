/**
 * What a key, and the service, may store. A submission is refused once the limit is reached; a job that
 * was taken before always may store its result.
 */
import { StorageFullError, StorageQuotaError } from '../errors.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { ServiceDeps } from '../service-deps.ts';

/**
 * Call it before a job is created.
 *
 * @throws {StorageQuotaError} if the key has stored as much as its tier may.
 * @throws {StorageFullError} if the service has stored as much as it may.
 */
export function checkStorage(
  { usage, settings }: Pick<ServiceDeps, 'usage' | 'settings'>,
  { id, tier }: ApiKey,
): void {
  const { storageLimits } = settings;
  const storedBytes = usage.bytesOf(id);
  if (storedBytes >= storageLimits[tier]) {
    throw new StorageQuotaError(tier, storedBytes, storageLimits[tier]);
  }
  const { totalBytes } = usage;
  if (totalBytes >= storageLimits.totalBytes) {
    throw new StorageFullError(totalBytes, storageLimits.totalBytes);
  }
}
