/**
 * Tools for language models, as rows: what a model reads of each, and the request of this service's API that it is. A tool
 * has no way of its own to anything: it asks as a client does, with the key of whoever calls it.
 */
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { AnyJobs, CircuitSubmissionInput, QcsClient } from '../../client/client.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { COMPILE_FORMATS } from '../circuits/compile-schema.ts';
import { ERROR_TABLE } from '../http/error-table.ts';
import { shortened } from './shortened.ts';

/** Where tools run: in the service, or in a process that asks a service over HTTP. */
export interface ToolHost {
  /** A client with the caller's key. */
  readonly client: QcsClient;
  /**
   * Draws the circuit of the fields of a submission.
   *
   * @throws with every fault of the fields.
   */
  readonly draw: (fields: object) => string | Promise<string>;
}

/** A tool. */
interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Whether it only reads. */
  readonly isReading?: true;
  /** The answer: a text, or a value that is sent as JSON. */
  readonly answer: (
    given: z.output<Input>,
    host: ToolHost,
    signal: AbortSignal,
  ) => Promise<unknown>;
}

/** Checks a row's types; the table has tools of different inputs. */
const tool = <Input extends z.ZodObject>(row: Tool<Input>): Tool => row as unknown as Tool;

/** How long a tool waits for a job, ms; clients end a call after a minute. */
const WAIT_MS = 25_000;
/** Each pause is twice the one before: a short job is asked for at once, and a long one takes few of the key's requests. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 3000;
const FINAL: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

const further = (path: string, guide: string) =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe(`Further fields of the body of POST ${path}; the guide "${guide}" has them`);

const source = {
  circuit: z
    .array(z.looseObject({ gate: z.string() }))
    .optional()
    .describe(
      'Gate objects: {"gate":"H","qubit":0}, {"gate":"CX","control":0,"target":1}, {"gate":"RZ","qubit":0,"theta":0.5}, {"gate":"M"}',
    ),
  qasm: z.string().optional().describe('OpenQASM 2 or 3, in place of circuit'),
  stim: z.string().optional().describe("Stim's circuit format, in place of circuit"),
  qir: z.string().optional().describe('QIR as text, or base64 of bitcode, in place of circuit'),
};
const processor = z.string().default('qvm').describe('Id of list_processors');
const shots = z.int().default(1000);
const seed = z.int().optional();
const observables = z
  .array(z.looseObject({}))
  .optional()
  .describe(
    'Expectation values: [{"pauli":"Z0 Z1"}, {"terms":[{"pauli":"X0","coefficient":0.5}]}]',
  );
const jobId = z.string().describe('Such as circ_…, batch_…, exp_…, task_…');

/** Fields of a run without those that are not given. */
function bodyOf({ processor, fields, ...given }: Readonly<Record<string, unknown>>): object {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { target_processor: processor, ...Object.fromEntries(known), ...Object(fields) };
}

/** A batch of one program, whose inputs are swept. */
function sweepOf({
  processor: target_processor,
  ...given
}: Readonly<Record<string, unknown>> & { readonly processor: string }) {
  const { target_processor: _, ...program } = Object(bodyOf(given));
  return { target_processor, programs: [program], array_format: 'json' as const };
}

/** Every tool, in the order in which models see them. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_processors',
    description: 'Processors that run circuits, with their limits, methods and availability.',
    input: z.object({}),
    isReading: true,
    answer: async (_given, { client }, signal) =>
      shortened(await client.request('GET /quantum/processors', { signal }), 64),
  }),
  tool({
    name: 'draw_circuit',
    description:
      'Checks a circuit as a submission is checked, and draws it as text. Runs nothing. Faults come with their paths.',
    input: z.object({ ...source, processor, fields: further('/quantum/circuits', 'circuits') }),
    isReading: true,
    answer: async (given, { draw }) => draw({ shots: 1, ...bodyOf(given) }),
  }),
  tool({
    name: 'estimate_run',
    description:
      'Expected time, memory, method and start of a run that is not made. With inputs it is that of a sweep.',
    input: z.object({
      ...source,
      inputs: z.record(z.string(), z.unknown()).optional(),
      processor,
      shots,
      fields: further('/quantum/circuits', 'circuits'),
    }),
    isReading: true,
    answer: async (given, { client }, signal) => {
      const body = given.inputs === undefined ? bodyOf(given) : sweepOf(given);
      return shortened(await client.estimate(body as CircuitSubmissionInput, { signal }));
    },
  }),
  tool({
    name: 'run_circuit',
    description:
      'Runs a circuit and returns its likeliest outcomes, and values of observables. Qubit 0 is the rightmost character of an outcome. A circuit without measurements is measured whole at its end. qvm chooses the method; method_reason says why.',
    input: z.object({
      ...source,
      processor,
      shots,
      seed,
      observables,
      noise: z
        .looseObject({})
        .optional()
        .describe('{"model":"NAME"}, or rules of your own; the guide "noise" has both'),
      fields: further('/quantum/circuits', 'circuits'),
    }),
    answer: async (given, { client }, signal) => {
      const outputs = given.observables && { return: ['counts', 'expectation'] as const };
      // The service checks what the fields hold.
      const body = Object({ ...outputs, ...bodyOf(given) }) as CircuitSubmissionInput;
      return ended(client.circuits, await client.circuits.submit(body, { signal }), signal);
    },
  }),
  tool({
    name: 'run_sweep',
    description:
      'Runs one circuit at many values of its inputs. An angle {"input":"a"}, or an OpenQASM 3 input, takes the values of inputs.a.',
    input: z.object({
      ...source,
      inputs: z.record(z.string(), z.unknown()).describe('Arrays of one length: {"a":[0,0.1,0.2]}'),
      processor,
      shots: z.int().optional().describe('For counts; not needed for exact values'),
      seed,
      observables,
      fields: further('/quantum/batches', 'batches'),
    }),
    answer: async (given, { client }, signal) =>
      ended(client.batches, await client.batches.submit(sweepOf(given), { signal }), signal),
  }),
  tool({
    name: 'compile_circuit',
    description:
      'Compiles a circuit for a processor without running it: gates and depth before and after, and the circuit as text.',
    input: z.object({
      ...source,
      processor,
      format: z.enum(COMPILE_FORMATS).default('qasm3'),
      fields: further('/quantum/compile', 'circuits'),
    }),
    isReading: true,
    answer: async (given, { client }, signal) => {
      const body = bodyOf(given) as Parameters<
        typeof client.request<'POST /quantum/compile'>
      >[1]['body'];
      return shortened(await client.request('POST /quantum/compile', { body, signal }), 60, 20_000);
    },
  }),
  tool({
    name: 'read_job',
    description: 'The record and result of a job. Waits up to 25 seconds for one that runs.',
    input: z.object({
      id: jobId,
      whole: z.boolean().default(false).describe('Everything, instead of the largest values'),
    }),
    isReading: true,
    answer: async ({ id, whole }, { client }, signal) => {
      const jobs = client.jobsOf(id);
      return ended(jobs, await jobs.get(id, { signal }), signal, whole);
    },
  }),
  tool({
    name: 'list_jobs',
    description: "The key's newest circuits, batches, experiments or tasks.",
    input: z.object({
      kind: z.enum(['circuits', 'batches', 'experiments', 'tasks']).default('circuits'),
      search: z.string().optional().describe('Words of names, tags, processors or states'),
      limit: z.int().min(1).max(50).default(10),
    }),
    isReading: true,
    answer: async ({ kind, search, limit }, { client }, signal) => {
      const found: unknown[] = [];
      const jobs: AnyJobs = client[kind];
      for await (const job of jobs.list(
        { pageSize: limit, ...(search && { search }) },
        { signal },
      )) {
        if (found.push(shortened(job)) >= limit) break;
      }
      return { [kind]: found };
    },
  }),
  tool({
    name: 'cancel_job',
    description: 'Cancels a job that waits or runs.',
    input: z.object({ id: jobId }),
    answer: async ({ id }, { client }, signal) =>
      shortened(await client.jobsOf(id).cancel(id, { signal })),
  }),
  tool({
    name: 'explain_error',
    description: 'The meaning of a code of error.details[].code, such as CIRCUIT_LIMIT_EXCEEDED.',
    input: z.object({ code: z.string() }),
    isReading: true,
    answer: async ({ code }) => {
      const row = ERROR_TABLE[code];
      if (row !== undefined) return { code, ...row };
      throw new Error(`There is no code "${code}".${didYouMean(code, Object.keys(ERROR_TABLE))}`);
    },
  }),
];

/** The record of a job once it has ended, or as it is when the time for waiting is over. */
async function ended(
  jobs: AnyJobs,
  submitted: unknown,
  signal: AbortSignal,
  isWhole = false,
): Promise<unknown> {
  const id = jobs.idOf(submitted);
  let job = Object(submitted);
  let pauseMs = FIRST_PAUSE_MS;
  for (let waitedMs = 0; !FINAL.has(job.status) && waitedMs < WAIT_MS; waitedMs += pauseMs) {
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    await setTimeout(pauseMs, undefined, { signal });
    job = Object(await jobs.get(id, { signal }));
  }
  const { request: _, ...whole } = job;
  const { compilation: __, ...brief } = whole;
  const path = `/api/v1${jobs.place.path}/${id}`;
  return { ...Object(isWhole ? whole : shortened(brief)), record: path };
}
