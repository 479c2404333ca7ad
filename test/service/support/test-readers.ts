/** Readers as tests use them: what limits of time do is tested where they are the subject. */
import { Readers, type ReadersOptions } from '../../../src/service/http/reading/readers.ts';
import { startInProcessReader } from './in-process-reader.ts';

const LIMITS = { numReaders: 2, heapLimitMb: 512, cpuLimitMs: 60_000, roomBytes: 2 ** 28 };

/** Two readers in this process. */
export function openReaders(options: Partial<ReadersOptions> = {}): Readers {
  return new Readers({ ...LIMITS, start: startInProcessReader, ...options });
}

/** Two processes of 512 MB that may take a minute for a body. */
export function openReaderProcesses(options: Partial<ReadersOptions> = {}): Readers {
  return new Readers({ ...LIMITS, ...options });
}
