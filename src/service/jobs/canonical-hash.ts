/** Hash of a request, the same whatever its white space and the order of its fields. */
import { hashBody } from '../../jobs/idempotency.ts';
import type { JobId } from '../../jobs/job.ts';
import type { JobResource } from './job-resources.ts';

/**
 * SHA-256, hex, of what a request asks for.
 *
 * @param path - So that one idempotency key cannot stand for requests to different endpoints.
 * @param body - A JSON value, nested at most as deep as the body reader lets through.
 */
export function requestHash(path: string, body: unknown): string {
  const sorted = JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return hashBody(`${path}\n${sorted}`);
}

/** Hash of a request to run a job again, which has no body. */
export function retryHash({ path }: JobResource, id: JobId): string {
  return requestHash(`${path}/${id}/retry`, null);
}
