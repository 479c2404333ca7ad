/** Sends measurements to the service. */
import { type Outcome, readOutcome } from './outcome.ts';

/** Longer than the service's own time limit. */
const TIMEOUT_MS = 60_000;

/** Runs the circuit once; never rejects. */
export async function askService(endpoint: string, input: readonly number[]): Promise<Outcome> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return readOutcome({
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: parsed(await response.text()),
    });
  } catch {
    return { kind: 'failed', message: 'The service did not answer. Is the network there?' };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
