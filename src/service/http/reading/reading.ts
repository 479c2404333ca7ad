/** Readings: work on bodies that processes do for the service. */
import type { Procedure } from '../../../workloads/procedures/procedure.ts';
import type { Readers, ReadingCaller } from './readers.ts';
import type { BodySource } from './reading-messages.ts';

/** Work on a body or on a stored request. Context and output are plain data. */
export interface Reading<Context, Output> {
  /** Unique name that a process looks the reading up by. */
  readonly name: string;
  /** @param body - A parsed body, or the text of a stored request. */
  readonly read: (body: unknown, context: Context) => Output | Promise<Output>;
  /** Procedures whose late checks the body needs. The time to load them is not charged to the body. */
  readonly proceduresOf?: (body: unknown, context: Context) => readonly (Procedure | undefined)[];
  /** CPU time that a body may take, as a multiple of the usual limit; 1 unless given. */
  readonly cpuFactor?: number;
  /** Splits an output for the transfer from the process; sent as a whole unless given. */
  readonly chunks?: OutputChunks<Output>;
}

/**
 * An output in chunks of a few milliseconds each. The service takes one a turn of the event loop, so that the largest
 * output holds up nobody else.
 */
export interface OutputChunks<Output> {
  /** Cuts an output into chunks, plain data; at least one. */
  cut(output: Output): Iterable<unknown>;
  /** Puts chunks together as they come, in order. */
  readonly collect: () => ChunkCollector<Output>;
}

/** Puts the chunks of one output together. */
export interface ChunkCollector<Output> {
  add(chunk: unknown): void;
  readonly output: Output;
}

/**
 * Has a process read a body.
 *
 * @param source - Body, or the text of a stored request.
 * @param hashPath - Path of the endpoint. If given, the output, an object, gets the field `bodyHash`.
 * @throws what `Readers.run` throws.
 */
export async function readInProcess<Context, Output>(
  readers: Pick<Readers, 'run'>,
  { name, cpuFactor, chunks }: Reading<Context, Output>,
  source: BodySource | { readonly text: string },
  context: Context,
  caller: ReadingCaller,
  hashPath?: string,
): Promise<Output> {
  const input = { ...source, context, ...(hashPath !== undefined && { hashPath }) };
  let collector = chunks?.collect();
  const output = await readers.run(name, input, {
    ...caller,
    ...(cpuFactor !== undefined && { cpuFactor }),
    onChunk: (index, chunk) => {
      // A process that was lost is followed by another one, which begins again.
      if (index === 0) collector = chunks?.collect();
      collector?.add(chunk);
    },
  });
  // The cast is safe: the process runs the reading of that name.
  if (collector === undefined) return output as Output;
  collector.add(output);
  return collector.output;
}
