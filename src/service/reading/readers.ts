/**
 * Reads bodies in processes of their own: large ones, and small ones whose programs take many steps.
 *
 * Reading is work like running. Keys take turns by the time that their bodies are expected to take, and
 * what a body took beyond that is charged afterwards. One key never has all the processes, so that the
 * next key finds one free. A body has a limit of CPU time; the process that passes it, or its memory, is
 * ended, which costs nobody but the caller of that body. Where a process is lost for another reason, the
 * body is tried again.
 */
import { extname } from 'node:path';
import { AGEING_MS, FairQueue, type QueuedItem } from '../../fleet/schedule/fair-queue.ts';
import {
  ChildPool,
  type FailedStart,
  mayRetry,
  type PooledChildEvents,
} from '../../processes/child-pool.ts';
import { childProcess } from '../../processes/child-process.ts';
import {
  type ChildEnd,
  type StartChild,
  SupervisedChild,
} from '../../processes/supervised-child.ts';
import {
  KeyReadingRoomError,
  ReaderLostError,
  ReadingMemoryError,
  ReadingRefusedError,
  ReadingRoomError,
  ReadingTimeError,
} from '../errors.ts';
import type { FromReader, ReadingInput, ToReader } from './reading-messages.ts';

const ENTRY = new URL(`./reader-process${extname(import.meta.url)}`, import.meta.url);
const MIB = 2 ** 20;
/** Requests that are answered now, and circuits that run, come before bodies that are read. */
const NICENESS = 5;
/** A process that is not ready by then is ended and counts as failed; the machine may be busy. */
const START_LIMIT_MS = 60_000;
/** How often a process that reads is looked at. */
const LOOK_EVERY_MS = 50;
/** From here on a process whose caller has gone is ended; before, it is through sooner than the next. */
const ABANDONED_MS = 250;
/** A process that is this large after a body makes room for a new one, as a part of the heap's limit. */
const WORN_AT = 0.75;
/** Processes beyond the first end when nothing came for them in this time. */
const IDLE_MS = 60_000;
/** Milliseconds that a byte takes, until some were read. */
const FIRST_MS_PER_BYTE = 5e-5;
/** Smaller bodies say nothing of that: they take their time for other reasons. */
const TELLING_BYTES = 65_536;
/** Weight of the last body in the average. */
const NEWEST = 0.2;
/** All bodies wait at one level. */
const LEVEL = 0;

/** Room that a body takes which was small enough to be parsed where it arrived. */
const SMALL_BODY_ROOM = 65_536;

/** How bodies are read. */
export interface ReadersOptions {
  /** Processes at most; at least 2, or one key could hold up all others. */
  readonly numReaders: number;
  /** JavaScript heap of one process. */
  readonly heapLimitMb: number;
  /** CPU time in which a body must be read. */
  readonly cpuLimitMs: number;
  /** Bytes of the bodies that are read or wait for it, over all keys; one key may have a quarter. */
  readonly roomBytes: number;
  /** Hears why a process ended that nobody ended on purpose. */
  readonly onLost?: (how: string) => void;
  /** The process's module; the product's own unless a test brings another. */
  readonly entry?: URL;
  /** Starts a reader; a process with `entry` unless a test brings another. */
  readonly start?: StartChild<ToReader, FromReader>;
  /** Until a process has to be ready; a minute unless given. */
  readonly startLimitMs?: number;
}

/** Caller of a reading. */
export interface ReadingCaller {
  readonly keyId: string;
  /** Size of the body, bytes; its cost is estimated from it. */
  readonly numBytes: number;
  /** Aborts when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** CPU time that the body may take, as a multiple of the limit; 1 unless given. */
  readonly cpuFactor?: number;
}

/** How much there is to read. */
export interface ReadingLoad {
  readonly waiting: number;
  readonly running: number;
  /** Bytes of bodies that arrive, wait or are being read. */
  readonly bytes: number;
}

interface Reading extends QueuedItem {
  readonly message: ToReader;
  readonly numBytes: number;
  readonly costMs: number;
  readonly cpuLimitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly attempt: number;
  readonly settle: (outcome: Outcome) => void;
}

type Outcome = { readonly output: unknown } | { readonly error: unknown };

/** The processes, and what waits for them. */
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
   * Keeps room for a body that arrives, until it is given back.
   *
   * @throws {KeyReadingRoomError | ReadingRoomError} if the key, or all keys together, would have more
   *   than they may.
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
   * Runs a reading when its turn comes. For bodies that came as bytes the caller keeps room.
   *
   * @param name - Of the reading.
   * @returns Its output.
   * @throws {KeyReadingRoomError | ReadingRoomError} as `reserve`, for the others.
   * @throws {ReadingRefusedError} with the code of the CodedError that the work ended with.
   * @throws {ReadingTimeError | ReadingMemoryError} if it took more than it may.
   * @throws {ReaderLostError} if its process ended, and so did the next ones; when the service closes.
   * @throws the signal's reason, at once.
   */
  run(
    name: string,
    input: ReadingInput,
    { keyId, numBytes, signal, cpuFactor = 1 }: ReadingCaller,
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

  /** How much there is to read now. */
  load(): ReadingLoad {
    const running = [...this.#pool.children].filter(({ reading }) => reading !== undefined).length;
    return { waiting: this.#queue.length, running, bytes: this.#roomTakenByAll };
  }

  /**
   * Until a small body of that key would be read, milliseconds: what the key itself has waiting, and the
   * turns that others take meanwhile.
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

  /** Ends the processes; work that waits or is under way is rejected. */
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

  /** Gives what waits to processes, and starts processes for the rest. */
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

  /** The one whose turn it is, of keys that have not all the processes but one. */
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

  /** What it took is held against its key, and expected of the next of its kind. */
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

  /** One caller for each failed start, so that a broken installation does not start them for ever. */
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

  /** Ends what has been idle for long, but for one, so that the next body need not wait for a start. */
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

/** A process, and the body that it reads. */
class Reader {
  readonly #process: SupervisedChild<ToReader, FromReader>;
  readonly #events: ReaderEvents;
  readonly #wornBytes: number;
  #reading: Reading | undefined;
  #since = performance.now();
  #cpuBeforeMs = 0;
  #looking: NodeJS.Timeout | undefined;
  /** What the caller of the body is told, where the process was ended on purpose. */
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
    // A body waits for it.
    this.#process.setHolding(true);
  }

  get reading(): Reading | undefined {
    return this.#reading;
  }

  get isReady(): boolean {
    return this.#process.isReady;
  }

  /** Whether it can be given a body. */
  get isFree(): boolean {
    return this.isReady && !this.#process.isEnding && this.#reading === undefined;
  }

  /** Since it was given its body, milliseconds; after its end, what that took. */
  get runningMs(): number {
    return performance.now() - this.#since;
  }

  /** How long it has had nothing to do. */
  get idleMs(): number {
    return this.isFree ? performance.now() - this.#since : 0;
  }

  /** Resolves when it has gone. */
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

  /** Ends it; its caller is told the error, or the end of the process where there is none. */
  kill(error: unknown): void {
    this.error = error;
    this.#process.kill();
  }

  #look({ cpuLimitMs, signal }: Reading): void {
    const { runningMs } = this;
    if (signal?.aborted && runningMs > ABANDONED_MS) this.kill(signal.reason);
    if (runningMs < cpuLimitMs) return;
    const cpuMs = this.#process.cpuMs();
    // Where CPU time cannot be read, the time by the clock stands in for it.
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
      return { error: new ReadingRefusedError(message.code, message.message, message.faults) };
    case 'broken': {
      const error = new Error('A body could not be read.');
      error.stack = message.stack;
      return { error };
    }
  }
}
