/** Reads bodies in a process of `Readers`, one at a time. */
import { CodedError } from '../errors/coded-error.ts';
import type { ParentPort } from '../processes/parent-port.ts';
import type { Procedure } from '../workloads/procedures/procedure.ts';
import { parseJsonBody } from './http/json-body.ts';
import type {
  FromReader,
  ReadingInput,
  ReadingTask,
  ToReader,
} from './http/reading/reading-messages.ts';
import { findReading } from './job-kinds.ts';
import { requestHash } from './jobs/stored-request.ts';

type ReaderParent = ParentPort<ToReader, FromReader>;

/** Reports that the reader is ready, and answers each message of the parent. */
export function serveReading(parent: ReaderParent): void {
  let onNextWanted = () => {};
  const postChunk = (index: number, chunk: unknown): Promise<void> => {
    parent.post({ kind: 'chunk', index, chunk });
    return new Promise((resolve) => {
      onNextWanted = resolve;
    });
  };
  parent.onMessage(async (message) => {
    if ('wants' in message) onNextWanted();
    else parent.post(await answer(message, parent, postChunk));
  });
  parent.post({ kind: 'ready' });
}

/** Posts a chunk of an output; resolves when the next one is wanted. */
type PostChunk = (index: number, chunk: unknown) => Promise<void>;

async function answer(
  message: ReadingTask,
  parent: ReaderParent,
  postChunk: PostChunk,
): Promise<FromReader> {
  try {
    return { kind: 'done', output: await outputOf(message, parent, postChunk) };
  } catch (error) {
    if (error instanceof CodedError) {
      const { code, message: text, faults } = error;
      return { kind: 'refused', code, message: text, faults: faults.map((f) => ({ ...f })) };
    }
    return { kind: 'broken', stack: error instanceof Error ? (error.stack ?? '') : `${error}` };
  }
}

/** Procedures whose late checks are loaded. */
const prepared = new Set<Procedure>();

/** Loads the code for the first body of a kind. The time is not charged to the body. */
async function prepare(
  procedures: readonly (Procedure | undefined)[],
  parent: ReaderParent,
): Promise<void> {
  const missing = procedures.filter(
    (each) => each?.lateFaultsOf !== undefined && !prepared.has(each),
  );
  if (missing.length === 0) return;
  parent.post({ kind: 'preparing' });
  for (const each of missing) {
    await each?.lateFaultsOf?.(each.example);
    if (each !== undefined) prepared.add(each);
  }
  parent.post({ kind: 'prepared' });
}

/** Output of a reading; its last chunk, if it has chunks. */
async function outputOf(
  { name, input }: ReadingTask,
  parent: ReaderParent,
  postChunk: PostChunk,
): Promise<unknown> {
  const reading = findReading(name);
  const { context, hashPath } = input;
  const body = bodyOf(input);
  await prepare(reading.proceduresOf?.(body, context) ?? [], parent);
  const read = await reading.read(body, context);
  const output =
    hashPath === undefined ? read : { ...Object(read), bodyHash: requestHash(hashPath, body) };
  if (reading.chunks === undefined) return output;
  const [first, ...others] = reading.chunks.cut(output);
  let last = first;
  for (const [index, chunk] of others.entries()) {
    await postChunk(index, last);
    last = chunk;
  }
  return last;
}

function bodyOf(input: ReadingInput): unknown {
  if ('text' in input) return input.text;
  return 'bytes' in input ? parseJsonBody(input.bytes) : input.value;
}
