/**
 * Process pool that reads bodies: large ones, and small ones whose programs take many steps.
 *
 * Keys take turns by the expected reading time of their bodies; time beyond the estimate is charged
 * afterwards. One key never uses all processes, so the next key finds one free. A body has limits of CPU time
 * and memory. If it exceeds one, its process is killed, which costs only the caller of that body. If a
 * process is lost for another reason, the body is tried again.
 */
import { extname } from 'node:path';
import { RelayedError } from '../../../errors/coded-error.ts';
import { AGEING_MS, FairQueue, type QueuedItem } from '../../../fleet/schedule/fair-queue.ts';
import {
  ChildPool,
  type FailedStart,
  mayRetry,
  type PooledChildEvents,
} from '../../../processes/child-pool.ts';
import { childProcess } from '../../../processes/child-process.ts';
import {
  type ChildEnd,
  type StartChild,
  SupervisedChild,
} from '../../../processes/supervised-child.ts';
import {
  KeyReadingRoomError,
  ReaderLostError,
  ReadingMemoryError,
  ReadingRoomError,
  ReadingTimeError,
} from '../errors.ts';
import type { FromReader, ReadingInput, ReadingTask, ToReader } from './reading-messages.ts';

const ENTRY = new URL(`../../reader-process${extname(import.meta.url)}`, import.meta.url);
const MIB = 2 ** 20;
/** Niceness of the processes: answering requests and running circuits have precedence. */
const NICENESS = 5;
/**
 * Time limit for a process to become ready, after which it is killed and counts as failed; the machine may be
 * busy.
 */
const START_LIMIT_MS = 60_000;
/** Interval at which a busy process is checked. */
const LOOK_EVERY_MS = 50;
/**
 * A process is killed if its caller disconnects after this time. Earlier, finishing is quicker than starting
 * another process.
 */
const ABANDONED_MS = 250;
/** A process whose memory exceeds this fraction of the heap limit after a body is replaced. */
const WORN_AT = 0.75;
/** Time without work after which processes other than the first end. */
const IDLE_MS = 60_000;
/** Assumed milliseconds per byte before any body was read. */
const FIRST_MS_PER_BYTE = 5e-5;
/** Smallest bodies that count towards the estimate; the time of smaller ones has other causes. */
const TELLING_BYTES = 65_536;
/** Weight of the latest body in the moving average. */
const NEWEST = 0.2;
/** Single priority level of all bodies. */
const LEVEL = 0;

/** Room counted for a body that was small enough to be parsed on arrival, bytes. */
const SMALL_BODY_ROOM = 65_536;

/** Options of the process pool. */
export interface ReadersOptions {
  /** Greatest number of processes; at least 2, or one key could delay all others. */
  readonly numReaders: number;
  /** JavaScript heap of one process, MiB. */
  readonly heapLimitMb: number;
  /** Limit of CPU time per body. */
  readonly cpuLimitMs: number;
  /** Greatest total size of bodies being read or waiting, bytes; one key may have a quarter. */
  readonly roomBytes: number;
  /** Called with the reason when a process ended unexpectedly. */
  readonly onLost?: (how: string) => void;
  /** Module of the process; only tests pass one. */
  readonly entry?: URL;
  /** Starts a reader; by default a process with `entry`. Only tests pass one. */
  readonly start?: StartChild<ToReader, FromReader>;
  /** Time limit for a process to become ready, milliseconds; one minute unless given. */
  readonly startLimitMs?: number;
}

/** Caller of a reading. */
export interface ReadingCaller {
  readonly keyId: string;
  /** Size of the body, bytes; its cost is estimated from it. */
  readonly numBytes: number;
  /** Aborts when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
  /** CPU time that the body may take, as a multiple of the limit; 1 unless given. */
  readonly cpuFactor?: number;
  /** Called with each chunk of the output but the last, one a turn of the event loop. */
  readonly onChunk?: (index: number, chunk: unknown) => void;
}

/** Present amount of work. */
interface ReadingLoad {
  readonly waiting: number;
  readonly running: number;
  /** Bytes of bodies that arrive, wait or are being read. */
  readonly bytes: number;
}

interface Reading extends QueuedItem {
  readonly message: ReadingTask;
  readonly onChunk: ReadingCaller['onChunk'];
  readonly numBytes: number;
  readonly costMs: number;
  readonly cpuLimitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly attempt: number;
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { readonly output: unknown } | { readonly error: unknown };

/** Pool of processes with its queue. */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #queue = new FairQueue<Reading>(AGEING_MS);
  readonly #pool: ChildPool<Reader>;
  readonly #msPerByte = new Map<string, number>();
  readonly #roomTaken = new Map<string, number>();
  #roomTakenByAll = 0;
  #numAsked = 0;
  #trimTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ReadersOptions) {
    if (options.numReaders < 2) throw new Error('unreachable: fewer than two readers');
    this.#options = options;
    this.#pool = new ChildPool<Reader>(
      {
        start: (events) =>
          new Reader(options, {
            ...events,
            onRead: (reader, reading, outcome, ms) => this.#onRead(reader, reading, outcome, ms),
          }),
      },
      {
        onReady: () => this.#goOn(),
        onEnd: (reader, end) => this.#onEnd(reader, end),
        onFailedStart: (failure) => this.#failedToStart(failure),
      },
    );
  }

  /**
   * Reserves room for an arriving body until it is disposed of.
   *
   * @throws {KeyReadingRoomError | ReadingRoomError} if the key, or all keys together, would exceed their
   *   limit.
   */
  reserve(keyId: string, numBytes: number): Disposable {
    const { roomBytes } = this.#options;
    const ofKey = this.#roomTaken.get(keyId) ?? 0;
    const mostOfKey = roomBytes / 4;
    if (ofKey + numBytes > mostOfKey) throw new KeyReadingRoomError(ofKey, numBytes, mostOfKey);
    if (this.#roomTakenByAll + numBytes > roomBytes) throw new ReadingRoomError(roomBytes);
    this.#takeRoom(keyId, numBytes);
    let isKept = true;
    return {
      [Symbol.dispose]: () => {
        if (isKept) this.#takeRoom(keyId, -numBytes);
        isKept = false;
      },
    };
  }

  /**
   * Runs a reading when its turn comes. The caller reserves room for bodies given as bytes.
   *
   * @param name - Name of the reading.
   * @returns Output of the reading.
   * @throws {KeyReadingRoomError | ReadingRoomError} as `reserve`, for other inputs.
   * @throws {RelayedError} with the code of the CodedError that the reading threw.
   * @throws {ReadingTimeError | ReadingMemoryError} if it exceeded its limit.
   * @throws {ReaderLostError} if its process ended, and so did those of further attempts; or when the service
   *   closes.
   * @throws the signal's reason, at once.
   */
  run(
    name: string,
    input: ReadingInput,
    { keyId, numBytes, signal, cpuFactor = 1, onChunk }: ReadingCaller,
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ReaderLostError('it was closed'));
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const room = 'value' in input ? this.reserve(keyId, SMALL_BODY_ROOM) : undefined;
      const id = `${this.#numAsked++}`;
      const onAbort = () => {
        room?.[Symbol.dispose]();
        this.#queue.remove(id);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#wait({
        id,
        key: keyId,
        level: LEVEL,
        message: { name, input },
        onChunk,
        numBytes,
        costMs: this.#expectedMs(name, numBytes),
        cpuLimitMs: this.#options.cpuLimitMs * cpuFactor,
        signal,
        attempt: 1,
        settle: (outcome) => {
          room?.[Symbol.dispose]();
          signal?.removeEventListener('abort', onAbort);
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.output);
        },
      });
    });
  }

  /** Present amount of work. */
  load(): ReadingLoad {
    const running = [...this.#pool.children].filter(({ reading }) => reading !== undefined).length;
    return { waiting: this.#queue.length, running, bytes: this.#roomTakenByAll };
  }

  /**
   * Expected wait of a small body of the key, milliseconds: the key's own waiting work and the turns of
   * others meanwhile.
   */
  expectedWaitMs(keyId: string): number {
    const backlogs = new Map<string, number>();
    const add = (key: string, ms: number) => backlogs.set(key, (backlogs.get(key) ?? 0) + ms);
    for (const { key, costMs } of this.#queue.items()) add(key, costMs);
    let numBusy = 0;
    for (const { reading, runningMs } of this.#pool.children) {
      if (reading === undefined) continue;
      numBusy++;
      add(reading.key, Math.max(0, reading.costMs - runningMs));
    }
    const own = backlogs.get(keyId) ?? 0;
    const { numReaders } = this.#options;
    if (own === 0 && numBusy < numReaders) return 0;
    backlogs.delete(keyId);
    let turnsOfOthers = 0;
    for (const ms of backlogs.values()) turnsOfOthers += Math.min(ms, own + 1);
    return (own + turnsOfOthers) / (backlogs.size === 0 ? numReaders - 1 : numReaders);
  }

  /** Stops the processes; waiting and running readings are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#trimTimer);
    const closed = new ReaderLostError('it was closed');
    for (const reading of this.#queue.drain()) reading.settle({ error: closed });
    this.#pool.close();
    const processes = [...this.#pool.children];
    for (const process of processes) process.kill(closed);
    await Promise.all(processes.map(({ ended }) => ended));
  }

  #takeRoom(keyId: string, numBytes: number): void {
    const taken = (this.#roomTaken.get(keyId) ?? 0) + numBytes;
    if (taken > 0) this.#roomTaken.set(keyId, taken);
    else this.#roomTaken.delete(keyId);
    this.#roomTakenByAll += numBytes;
  }

  #expectedMs(name: string, numBytes: number): number {
    return 1 + numBytes * (this.#msPerByte.get(name) ?? FIRST_MS_PER_BYTE);
  }

  #wait(reading: Reading, comesBack = false): void {
    this.#queue.add(reading, reading.costMs, performance.now(), comesBack);
    this.#goOn();
  }

  /** Assigns waiting readings to processes, and starts processes for the rest. */
  #goOn(): void {
    for (;;) {
      const reading = this.#next();
      if (reading === undefined) return;
      const reader = this.#pool.take();
      if (reader === undefined) {
        const { size } = this.#pool.children;
        const isStarting = [...this.#pool.children].some(({ isReady }) => !isReady);
        if (!isStarting && size < this.#options.numReaders) this.#pool.start();
        return;
      }
      this.#queue.start(reading.id, performance.now());
      reader.read(reading);
    }
  }

  /** Next reading in turn, from keys that use fewer than all processes but one. */
  #next(): Reading | undefined {
    if (this.#queue.length === 0) return undefined;
    const numOfKey = new Map<string, number>();
    for (const { reading } of this.#pool.children) {
      if (reading !== undefined) numOfKey.set(reading.key, (numOfKey.get(reading.key) ?? 0) + 1);
    }
    for (const stop of this.#queue.walk(performance.now())) {
      if ((numOfKey.get(stop.item.key) ?? 0) < this.#options.numReaders - 1) return stop.item;
      stop.takesTurn = false;
    }
    return undefined;
  }

  #onRead(reader: Reader, reading: Reading, outcome: Outcome, ms: number): void {
    if (reader.isFree) this.#pool.release(reader);
    this.#note(reading, ms);
    reading.settle(outcome);
    this.#goOn();
    this.#trimTimer ??= setTimeout(() => this.#trim(), IDLE_MS).unref();
  }

  /** Charges the time taken to the key, and updates the estimate for readings of this name. */
  #note({ message: { name }, key, numBytes, costMs }: Reading, ms: number): void {
    if (ms > costMs) this.#queue.charge(key, LEVEL, ms - costMs);
    if (numBytes < TELLING_BYTES) return;
    const before = this.#msPerByte.get(name) ?? FIRST_MS_PER_BYTE;
    const perByte = ms / numBytes;
    this.#msPerByte.set(name, before + NEWEST * (perByte - before));
  }

  #onEnd(reader: Reader, end: ChildEnd): void {
    if (reader.reading !== undefined) this.#endReading(reader.reading, reader, end);
    else if (!end.wasIntended) this.#options.onLost?.(end.inFull);
    this.#goOn();
  }

  #endReading(reading: Reading, { runningMs, error }: Reader, end: ChildEnd): void {
    this.#note(reading, runningMs);
    const { heapLimitMb } = this.#options;
    if (error !== undefined) reading.settle({ error });
    else if (end.isOutOfMemory) reading.settle({ error: new ReadingMemoryError(heapLimitMb) });
    else {
      this.#options.onLost?.(end.inFull);
      const isWanted = !this.#isClosed && reading.signal?.aborted !== true;
      if (isWanted && mayRetry(reading.attempt, end)) {
        this.#wait({ ...reading, attempt: reading.attempt + 1 }, true);
      } else reading.settle({ error: new ReaderLostError(end.how) });
    }
  }

  /**
   * Rejects one reading per failed start, so that a broken installation does not start processes for ever.
   */
  #failedToStart({ how, isExcused }: FailedStart): void {
    if (!isExcused && this.#pool.isBroken) {
      const reading = this.#next();
      if (reading !== undefined) {
        this.#queue.remove(reading.id);
        reading.settle({ error: new ReaderLostError(how) });
      }
    }
    this.#goOn();
  }

  /**
   * Ends processes that have been idle for long, except one, so that the next body need not wait for a start.
   */
  #trim(): void {
    this.#trimTimer = undefined;
    let numLeft = this.#pool.children.size;
    for (const reader of this.#pool.children) {
      if (numLeft === 1) return;
      if (reader.idleMs < IDLE_MS) continue;
      this.#pool.withdraw(reader);
      reader.kill(undefined);
      numLeft--;
    }
    if (numLeft > 1) this.#trimTimer = setTimeout(() => this.#trim(), IDLE_MS).unref();
  }
}

interface ReaderEvents extends PooledChildEvents {
  readonly onRead: (reader: Reader, reading: Reading, outcome: Outcome, ms: number) => void;
}

function readerProcess({ entry = ENTRY, heapLimitMb }: ReadersOptions) {
  return childProcess<ToReader, FromReader>({
    entry,
    setup: {},
    confinement: { imports: [] },
    heapLimitMb,
    environment: {},
    niceness: NICENESS,
  });
}

/** Process with the body that it reads. */
class Reader {
  readonly #process: SupervisedChild<ToReader, FromReader>;
  readonly #events: ReaderEvents;
  readonly #wornBytes: number;
  #reading: Reading | undefined;
  #since = performance.now();
  #cpuBeforeMs = 0;
  #looking: NodeJS.Timeout | undefined;
  /** Error for the caller of the body, if the process was killed on purpose. */
  error: unknown;

  constructor(options: ReadersOptions, events: ReaderEvents) {
    const { start = readerProcess(options), startLimitMs = START_LIMIT_MS } = options;
    this.#events = events;
    this.#wornBytes = WORN_AT * options.heapLimitMb * MIB;
    this.#process = new SupervisedChild(
      { start, startLimitMs },
      {
        onReady: () => {
          this.#since = performance.now();
          this.#process.setHolding(false);
          events.onReady();
        },
        onMessage: (message) => this.#hear(message),
        onEnd: (end) => {
          clearInterval(this.#looking);
          events.onEnd(end);
        },
      },
    );
    // A body waits for the process.
    this.#process.setHolding(true);
  }

  get reading(): Reading | undefined {
    return this.#reading;
  }

  get isReady(): boolean {
    return this.#process.isReady;
  }

  /** True if the process can take a body. */
  get isFree(): boolean {
    return this.isReady && !this.#process.isEnding && this.#reading === undefined;
  }

  /** Milliseconds since it was given its body; after its end, the time that took. */
  get runningMs(): number {
    return performance.now() - this.#since;
  }

  /** Milliseconds without work. */
  get idleMs(): number {
    return this.isFree ? performance.now() - this.#since : 0;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#process.ended;
  }

  read(reading: Reading): void {
    this.#reading = reading;
    this.#startClock(reading);
    this.#process.setHolding(true);
    this.#process.post(reading.message);
  }

  #startClock(reading: Reading): void {
    this.#since = performance.now();
    this.#cpuBeforeMs = this.#process.cpuMs() ?? 0;
    clearInterval(this.#looking);
    this.#looking = setInterval(() => this.#look(reading), LOOK_EVERY_MS).unref();
  }

  /** Kills the process. Its caller receives the error, or without one the reason of the end. */
  kill(error: unknown): void {
    this.error = error;
    this.#process.kill();
  }

  #look({ cpuLimitMs, signal }: Reading): void {
    const { runningMs } = this;
    if (signal?.aborted && runningMs > ABANDONED_MS) this.kill(signal.reason);
    if (runningMs < cpuLimitMs) return;
    const cpuMs = this.#process.cpuMs();
    // If CPU time cannot be read, elapsed time is used instead.
    const tookMs = cpuMs === undefined ? runningMs : cpuMs - this.#cpuBeforeMs;
    if (tookMs > cpuLimitMs) this.kill(new ReadingTimeError(cpuLimitMs));
  }

  #hear(message: Exclude<FromReader, { kind: 'ready' }>): void {
    const reading = this.#reading;
    if (reading === undefined || this.#process.isEnding) return;
    if (message.kind === 'preparing') {
      clearInterval(this.#looking);
      return;
    }
    if (message.kind === 'prepared') {
      this.#startClock(reading);
      return;
    }
    if (message.kind === 'chunk') {
      reading.onChunk?.(message.index, message.chunk);
      setImmediate(() => this.#process.post({ wants: 'next chunk' }));
      return;
    }
    const ms = this.runningMs;
    clearInterval(this.#looking);
    this.#reading = undefined;
    this.#since = performance.now();
    this.#process.setHolding(false);
    if ((this.#process.rssBytes() ?? 0) > this.#wornBytes) this.kill(undefined);
    this.#events.onRead(this, reading, outcomeOf(message), ms);
  }
}

function outcomeOf(message: Extract<FromReader, { kind: 'done' | 'refused' | 'broken' }>): Outcome {
  switch (message.kind) {
    case 'done':
      return { output: message.output };
    case 'refused':
      return { error: new RelayedError(message.code, message.message, message.faults) };
    case 'broken': {
      const error = new Error('A body could not be read.');
      error.stack = message.stack;
      return { error };
    }
  }
}
