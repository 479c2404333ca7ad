/** Readers as tests use them: what limits of time do is tested where they are the subject. */
import { Readers, type ReadersOptions } from '../../../src/service/reading/readers.ts';

/** Two readers of 512 MB that may take a minute for a body. */
export function openReaders(options: Partial<ReadersOptions> = {}): Readers {
  const limits = { numReaders: 2, heapLimitMb: 512, cpuLimitMs: 60_000, roomBytes: 2 ** 28 };
  return new Readers({ ...limits, ...options });
}
