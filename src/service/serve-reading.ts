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
  const postPiece = (index: number, piece: unknown): Promise<void> => {
    parent.post({ kind: 'piece', index, piece });
    return new Promise((resolve) => {
      onNextWanted = resolve;
    });
  };
  parent.onMessage(async (message) => {
    if ('wants' in message) onNextWanted();
    else parent.post(await answer(message, parent, postPiece));
  });
  parent.post({ kind: 'ready' });
}

/** Posts a piece of an output; resolves when the next one is wanted. */
type PostPiece = (index: number, piece: unknown) => Promise<void>;

async function answer(
  message: ReadingTask,
  parent: ReaderParent,
  postPiece: PostPiece,
): Promise<FromReader> {
  try {
    return { kind: 'done', output: await outputOf(message, parent, postPiece) };
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

/** Output of a reading; its last piece, if it has pieces. */
async function outputOf(
  { name, input }: ReadingTask,
  parent: ReaderParent,
  postPiece: PostPiece,
): Promise<unknown> {
  const reading = findReading(name);
  const { context, hashPath } = input;
  const body = bodyOf(input);
  await prepare(reading.proceduresOf?.(body, context) ?? [], parent);
  const read = await reading.read(body, context);
  const output =
    hashPath === undefined ? read : { ...Object(read), bodyHash: requestHash(hashPath, body) };
  if (reading.pieces === undefined) return output;
  const [first, ...others] = reading.pieces.cut(output);
  let last = first;
  for (const [index, piece] of others.entries()) {
    await postPiece(index, last);
    last = piece;
  }
  return last;
}

function bodyOf(input: ReadingInput): unknown {
  if ('text' in input) return input.text;
  return 'bytes' in input ? parseJsonBody(input.bytes) : input.value;
}
