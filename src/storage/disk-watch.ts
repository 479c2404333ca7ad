/**
 * Watches the free space of the data directory's disk, and whether the database can be written.
 *
 * Below a threshold, and while writes fail, the service accepts no new work. Accepted work can still be
 * finished and stored, and reads go on.
 */
import { statfs } from 'node:fs/promises';
import { DiskFullError, type StorageUnwritableError } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';

const MIB = 2 ** 20;
const CHECK_EVERY_MS = 5000;

/** Options of a DiskWatch. */
interface DiskWatchOptions {
  /** A folder on the disk. */
  readonly folder: string;
  /** New work is accepted while at least this many bytes are free. */
  readonly minFreeBytes: number;
  /** Writer of the database on that disk. */
  readonly writer?: Pick<GroupCommit, 'fault' | 'probe'>;
  /**
   * Returns the bytes that an ordinary user may still write; undefined for a disk without a limit. Asks the
   * operating system by default.
   */
  readonly freeBytes?: (folder: string) => Promise<number | undefined>;
}

/** Checks the disk when it is started, and then every few seconds until it is closed. */
export class DiskWatch {
  readonly #options: DiskWatchOptions & Required<Pick<DiskWatchOptions, 'freeBytes'>>;
  #timer: NodeJS.Timeout | undefined;
  #freeBytes: number | undefined;
  #isChecking = false;

  constructor(options: DiskWatchOptions) {
    this.#options = { freeBytes: askSystem, ...options };
  }

  /** Reason why no work is accepted now; undefined where it is accepted. */
  get fault(): DiskFullError | StorageUnwritableError | undefined {
    const { minFreeBytes, writer } = this.#options;
    const free = this.#freeBytes;
    return free !== undefined && free < minFreeBytes
      ? new DiskFullError(Math.floor(free / MIB), Math.ceil(minFreeBytes / MIB))
      : writer?.fault;
  }

  /** Checks now and then regularly. */
  async start(): Promise<void> {
    await this.check();
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  /**
   * Checks now. A disk whose free space is unknown counts as having room; a failing write will show the
   * fault.
   */
  async check(): Promise<void> {
    // A disk that does not answer is asked once, not again every few seconds.
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { folder, freeBytes, writer } = this.#options;
    this.#freeBytes = await freeBytes(folder).catch(() => undefined);
    // No other write would show that the fault is over while no work is accepted.
    if (writer?.fault !== undefined) await writer.probe();
    this.#isChecking = false;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function askSystem(folder: string): Promise<number | undefined> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // File systems in memory may have no limit, and then report no blocks.
  return blocks === 0 ? undefined : bavail * bsize;
}
