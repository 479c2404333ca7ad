/**
 * Watches how much room the data directory's disk has, and whether the database on it can be written.
 * Below a mark the service takes no new work: what it took before can then still be finished and stored,
 * and reads go on. While writes fail it takes none either.
 */
import { statfs } from 'node:fs/promises';
import { DiskFullError, type StorageUnwritableError } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';

const MIB = 2 ** 20;
const LOOK_EVERY_MS = 5000;

/** Options of a DiskWatch. */
export interface DiskWatchOptions {
  /** A folder on the disk. */
  readonly folder: string;
  /** Work is taken while at least this much is free. */
  readonly minFreeBytes: number;
  /** The writer of the database on it. */
  readonly writer?: Pick<GroupCommit, 'fault' | 'probe'>;
  /**
   * Bytes that an ordinary user may still write; undefined where the disk has no limit. By default the
   * operating system is asked.
   */
  readonly freeBytes?: (folder: string) => Promise<number | undefined>;
}

/** The watch; it looks once when it is started, and every few seconds until it is closed. */
export class DiskWatch {
  readonly #options: DiskWatchOptions & Required<Pick<DiskWatchOptions, 'freeBytes'>>;
  #timer: NodeJS.Timeout | undefined;
  #freeBytes: number | undefined;
  #isLooking = false;

  constructor(options: DiskWatchOptions) {
    this.#options = { freeBytes: askSystem, ...options };
  }

  /** Why no work is taken now; undefined while there is room. */
  get fault(): DiskFullError | StorageUnwritableError | undefined {
    const { minFreeBytes, writer } = this.#options;
    const free = this.#freeBytes;
    return free !== undefined && free < minFreeBytes
      ? new DiskFullError(Math.floor(free / MIB), Math.ceil(minFreeBytes / MIB))
      : writer?.fault;
  }

  /** Looks at once, and from then on. */
  async start(): Promise<void> {
    await this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** Looks now. A disk that cannot be asked is taken to have room: writing shows what is wrong with it. */
  async look(): Promise<void> {
    // A disk that does not answer is asked once, not every few seconds again.
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { folder, freeBytes, writer } = this.#options;
    this.#freeBytes = await freeBytes(folder).catch(() => undefined);
    // While no work is taken nothing else may be written that would show that it can be again.
    if (writer?.fault !== undefined) await writer.probe();
    this.#isLooking = false;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function askSystem(folder: string): Promise<number | undefined> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // File systems in memory may have no limit, and then no blocks.
  return blocks === 0 ? undefined : bavail * bsize;
}
