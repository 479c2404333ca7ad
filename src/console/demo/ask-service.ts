/** Sends measurements to the service. */
import { QcsClient } from '../../client/client.ts';
import { readAnswer } from './demo-answer.ts';
import { type Outcome, outcomeOfError } from './outcome.ts';

/** Longer than the service's own time limit. */
const TIMEOUT_MS = 60_000;

/**
 * Runs the circuit once; never rejects. A refused run is not repeated: the visitor is told, and decides.
 *
 * @param fetch - Sends the request in place of the browser.
 */
export async function askService(
  input: readonly number[],
  fetch?: typeof globalThis.fetch,
): Promise<Outcome> {
  const retry = { maxRetries: 0 };
  const client = new QcsClient({ baseUrl: '', retry, ...(fetch !== undefined && { fetch }) });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const data = await client.request('POST /demo/qnn-hybrid', { body: { input }, signal });
    const answer = readAnswer({ data });
    if (answer !== undefined) return { kind: 'answer', answer };
    const other = 'The service answered in a form that this page cannot read. Reloading may help.';
    return { kind: 'failed', message: other };
  } catch (error) {
    return outcomeOfError(error);
  }
}
