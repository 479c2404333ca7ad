/** Hash of a request that ignores white space and the order of fields. */

import { hashBody } from '../../jobs/idempotency.ts';
import type { JobId } from '../../jobs/job.ts';
import { isJsonObject } from '../../workloads/procedures/json.ts';
import type { JobResource } from './job-resources.ts';

/**
 * SHA-256 of a request, hex.
 *
 * @param path - Path of the endpoint, so that one idempotency key does not match requests to different
 *   endpoints.
 * @param body - JSON value; the body reader has limited its nesting.
 */
export function requestHash(path: string, body: unknown): string {
  const sorted = JSON.stringify(body, (_name, value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return hashBody(`${path}\n${sorted}`);
}

/** Hash of a retry request, which has no body. */
export function retryHash({ path }: JobResource, id: JobId): string {
  return requestHash(`${path}/${id}/retry`, null);
}
