/** Inferences over HTTP, and rows to ask for. */
import type { ModelService } from './model-service.ts';

/** Where the classifier is asked. */
export const INFERENCE = '/models/qnn-hybrid/inference';
/** A flower of the one class. */
export const VIRGINICA = [6.8, 3, 5.5, 2.1];
/** A flower of the other. */
export const VERSICOLOR = [5.7, 2.9, 4.2, 1.3];
/** A circuit of 4 qubits and 1 layer. */
export const THETA = [0.1, 0.5, -0.2, 0.3, 0.5, 0, 0, 1, 0, 0, 1, 0.4];

/** Sends the body, and gives the answer with its envelope opened. */
export async function infer(
  { service }: ModelService,
  payload: unknown,
  url = INFERENCE,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(payload),
  });
  return { status: answer.statusCode, headers: answer.headers, ...answer.json() };
}
