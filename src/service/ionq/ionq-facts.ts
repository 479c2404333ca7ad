/**
 * Facts about a job that the answers of IonQ's interface need and its batch does not hold.
 *
 * They are stored with the batch, in its `metadata`, so that they are deleted with the job and need no table of their
 * own. They stand at the beginning of the body: a record is read often, and the rest of a body may have megabytes.
 */
import { z } from 'zod';
import type { Job } from '../../jobs/job.ts';

/** Tag of the jobs that came through this interface; listings find them by it. */
export const IONQ_TAG = 'ionq';

const ionqFacts = z.object({
  type: z.enum(['ionq.circuit.v1', 'ionq.multi-circuit.v1', 'ionq.qasm3.v1']),
  backend: z.string(),
  name: z.string().nullable(),
  /** Texts as they were sent; other values as JSON. */
  metadata: z.record(z.string(), z.string()).nullable(),
  session: z.string().nullable(),
  /** Checked, but not run. */
  dryRun: z.boolean(),
  settings: z.record(z.string(), z.unknown()),
  /** Name of the noise model. */
  noiseModel: z.string().default('ideal'),
  noiseSeed: z.number().optional(),
  /** Shots that were asked for. */
  shots: z.number().optional(),
  /** Whether the results have exact probabilities, and whether they have counts. */
  isExact: z.boolean(),
  hasCounts: z.boolean(),
  /** Greatest number of qubits of a circuit. */
  qubits: z.number(),
  /** Bits of the outcome of each circuit. */
  bits: z.array(z.number()),
  /** Names of the circuits; null for one without. */
  names: z.array(z.string().nullable()),
  gateCounts: z.record(z.string(), z.number()),
  /** Classical registers by name, with the bits of the outcome that they hold. */
  registers: z.array(z.tuple([z.string(), z.array(z.number())])),
});
export type IonqFacts = z.output<typeof ionqFacts>;

/** Name of the text in the metadata of the batch. */
const NAME = 'ionq';

/** The metadata of a batch that holds the facts; put it first in the body. */
export function metadataOf(facts: IonqFacts): Readonly<Record<string, string>> {
  return { [NAME]: JSON.stringify(facts) };
}

const BEFORE = `,"body":{"metadata":{"${NAME}":`;

/** The facts of a job; undefined if it did not come through this interface. */
export function ionqFactsOf({ request }: Pick<Job, 'request'>): IonqFacts | undefined {
  const begin = request.indexOf(BEFORE) + BEFORE.length;
  if (begin < BEFORE.length) return undefined;
  const text = stringAt(request, begin);
  if (text === undefined) return undefined;
  // A caller may write such metadata by hand, so its form is not certain.
  try {
    return ionqFacts.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The JSON string that begins at `begin`. */
function stringAt(text: string, begin: number): string | undefined {
  for (let end = text.indexOf('"', begin + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let numBackslashes = 0;
    while (text[end - 1 - numBackslashes] === '\\') numBackslashes++;
    if (numBackslashes % 2 === 0) return String(JSON.parse(text.slice(begin, end + 1)));
  }
  return undefined;
}
