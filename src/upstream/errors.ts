/** Errors of exchanges with other services. */
import { coded } from '../errors/coded-error.ts';

/** Failure of the exchange with an upstream; the message quotes nothing from the upstream. */
export type UpstreamFault =
  | { readonly kind: 'timed-out'; readonly limitMs: number }
  /**
   * Connection failed: refused, reset, unknown host or untrusted certificate; `how` is the system's error
   * code.
   */
  | { readonly kind: 'not-reached'; readonly how: string | undefined }
  /** An HTTP status other than 2xx. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'too-large'; readonly limitBytes: number }
  | { readonly kind: 'not-json' }
  /** JSON of another form than expected; `path` is the first place that differs. */
  | { readonly kind: 'wrong-shape'; readonly path: string };

/**
 * The upstream did not answer, or gave an unusable answer. The caller can only try again, after `retryAfterS`: the
 * upstream's own figure, or the length of the pause. `who` is the subject of the message.
 */
export class UpstreamError extends coded(
  'WORKLOADS_UPSTREAM',
  (fault: UpstreamFault, retryAfterS?: number, who?: string) => ({
    message: `${who ?? 'The upstream'} ${wordsFor(fault)}.`,
    fault,
    retryAfterS,
  }),
) {}

/**
 * The upstream blames the request, such as a prompt that is too long for its model. `why` is its reason, sanitised and
 * shortened; undefined if it gave none. `who` is the subject of the message.
 */
export class UpstreamRefusedError extends coded(
  'WORKLOADS_UPSTREAM_REFUSED',
  (status: number, why: string | undefined, who?: string) => ({
    message: `${who ?? 'The upstream'} refused the request (HTTP ${status})${why === undefined ? '.' : `: ${why}`}`,
    status,
  }),
) {}

function wordsFor(fault: UpstreamFault): string {
  switch (fault.kind) {
    case 'timed-out':
      return `did not answer within ${fault.limitMs} ms`;
    case 'not-reached':
      return `could not be reached, or hung up${fault.how === undefined ? '' : ` (${fault.how})`}`;
    case 'status':
      return wordsForStatus(fault.status);
    case 'too-large':
      return `answered with more than ${fault.limitBytes} bytes`;
    case 'not-json':
      return 'answered with something that is not JSON';
    case 'wrong-shape':
      return `answered with JSON of another shape than expected, at ${fault.path || 'its top level'}`;
  }
}

function wordsForStatus(status: number): string {
  const said = `(HTTP ${status})`;
  if (status >= 300 && status < 400) return `redirects ${said}, which is not followed`;
  if (status === 401 || status === 403) return `does not accept the service's credentials ${said}`;
  if (status === 404) return `does not know the path or the model that it was asked for ${said}`;
  if (status === 429) return `takes no more requests for now ${said}`;
  return `failed ${said}`;
}
