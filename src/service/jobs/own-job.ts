/** Lookup of a caller's own jobs; jobs of other keys answer 404. */
import { JobDamagedError, JobNotFoundError } from '../../jobs/errors.ts';
import { isJobId, type JobId, type JobKind } from '../../jobs/job.ts';

/**
 * Result of `look` for a job of the key.
 *
 * @param keyIdOf - Owner of the found value.
 * @throws {JobNotFoundError} if the key has no such job of that kind.
 * @throws {JobDamagedError} if the job cannot be read.
 */
export async function ownJob<Found>(
  { id, kind, keyId }: { readonly id: string; readonly kind: JobKind; readonly keyId: string },
  look: (id: JobId) => Promise<Found | undefined>,
  keyIdOf: (found: Found) => string,
): Promise<Found> {
  const notFound = new JobNotFoundError(id.slice(0, 100));
  if (!isJobId(id, kind)) throw notFound;
  const found = await look(id).catch((error: unknown) => {
    throw error instanceof JobDamagedError && error.keyId !== keyId ? notFound : error;
  });
  if (found === undefined || keyIdOf(found) !== keyId) throw notFound;
  return found;
}
