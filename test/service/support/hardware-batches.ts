/** Batches on the processor `superconducting-1`, over HTTP. */
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { JobRecord, ServiceClient } from '../../support/service-client.ts';

export const HARDWARE = 'superconducting-1';
const BATCHES = '/quantum/batches';

/** Fields of a program or of a batch. */
type Body = Readonly<Record<string, unknown>>;

/** cos(a/2)|000⟩ + sin(a/2)|111⟩; a triangle of gates, which few devices have. */
export const GHZ = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'CX', control: 1, target: 2 },
  { gate: 'CZ', control: 0, target: 2 },
  { gate: 'Z', qubit: 0 },
];
export const ANGLES = [0, 1, 2, Math.PI];
export const SWEEP = { circuit: GHZ, inputs: { a: ANGLES }, shots: 400 };

/** Waits until the service says that the hardware takes circuits. */
export const available = (client: ServiceClient) =>
  eventually(async () => {
    expect(await client.get(`/quantum/processors/${HARDWARE}`)).toMatchObject({ available: true });
  });

/** Sends a batch for the hardware. */
export const postBatch = (client: ServiceClient, programs: readonly Body[], headers = {}) => {
  const body = { target_processor: HARDWARE, seed: 5, programs };
  return client.request('POST', BATCHES, { body, headers });
};

/** Submits a batch for the hardware; gives its location. */
export async function submitBatch(
  client: ServiceClient,
  programs: readonly Body[],
): Promise<string> {
  const answer = await postBatch(client, programs, { prefer: 'respond-async' });
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([201, expect.anything()]);
  return answer.headers.get('location') ?? '';
}

/** Programs of a completed batch. */
export function programsOf(record: JobRecord) {
  // Checked by what is read of them.
  return record['programs'] as {
    readonly counts: readonly Readonly<Record<string, number>>[];
    readonly expectation: readonly (readonly number[])[];
    readonly standard_error: readonly (readonly number[])[];
    readonly gradient: readonly (readonly (readonly number[])[])[];
  }[];
}

/** Ids that the vendor gave the jobs of a batch. */
export const vendorJobIdsOf = (record: JobRecord): readonly string[] =>
  // Checked by what is read of it.
  (record['executed_on'] as { readonly backend: { readonly vendor_job_ids: string[] } }[]).flatMap(
    ({ backend }) => backend.vendor_job_ids,
  );

/** The newest batches of a key. */
export async function batchesOf(client: ServiceClient): Promise<readonly JobRecord[]> {
  // Checked: a listing has the records of batches.
  return ((await client.get(BATCHES)) as { readonly batches: readonly JobRecord[] }).batches;
}
