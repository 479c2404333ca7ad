/** Reads bodies in a process of `Readers`, one at a time. */
import { CodedError } from '../../errors/coded-error.ts';
import type { ParentPort } from '../../processes/parent-port.ts';
import type { Procedure } from '../../workloads/procedures/procedure.ts';
import { requestHash } from '../jobs/canonical-hash.ts';
import { findReading } from '../jobs/job-kinds.ts';
import { parseJsonBody } from '../plugins/json-body.ts';
import type { FromReader, ReadingInput, ToReader } from './reading-messages.ts';

type ReaderParent = ParentPort<ToReader, FromReader>;

/** Reports that the reader is ready, and answers each message of the parent. */
export function serveReading(parent: ReaderParent): void {
  parent.onMessage(async (message) => parent.post(await answer(message, parent)));
  parent.post({ kind: 'ready' });
}

async function answer(message: ToReader, parent: ReaderParent): Promise<FromReader> {
  try {
    return { kind: 'done', output: await outputOf(message, parent) };
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

async function outputOf({ name, input }: ToReader, parent: ReaderParent): Promise<unknown> {
  const reading = findReading(name);
  const { context, hashPath } = input;
  const body = bodyOf(input);
  await prepare(reading.proceduresOf?.(body, context) ?? [], parent);
  const output = await reading.read(body, context);
  if (hashPath === undefined) return output;
  return { ...Object(output), bodyHash: requestHash(hashPath, body) };
}

function bodyOf(input: ReadingInput): unknown {
  if ('text' in input) return input.text;
  return 'bytes' in input ? parseJsonBody(input.bytes) : input.value;
}
