/** A Bell circuit over HTTP, the smallest circuit: its load measures the path of a circuit through the service. */
import { LoadFailedError } from '../errors.ts';
import type { Load } from './closed-loop.ts';
import { httpRequest } from './http-connections.ts';

const SHOTS = 100;

/** A Bell circuit, and the check that an answer counts all its shots on 00 and 11. */
export function bellLoad(
  origin: string,
  key: string,
  processor: string,
): Omit<Load, 'numConnections' | 'numRequests'> {
  const url = new URL('/api/v1/quantum/circuits', origin);
  const body = JSON.stringify({
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    target_processor: processor,
    shots: SHOTS,
  });
  return {
    request: httpRequest('POST', url, { 'x-api-key': key }, body),
    verify(text) {
      const { data } = JSON.parse(text) as { data?: { counts?: Record<string, number> } };
      const { '00': zeros = 0, '11': ones = 0, ...others } = data?.counts ?? {};
      if (zeros + ones !== SHOTS || Object.keys(others).length > 0) {
        throw new LoadFailedError(`a wrong answer, ${text.slice(0, 500)}`);
      }
    },
  };
}
