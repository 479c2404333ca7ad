/**
 * A thread or process that this process has started and supervises.
 *
 * A child says `ready` within its start limit, or is ended. From then on its owner sends it work, perhaps
 * with deadlines; a child that misses one is ended. A child is ended by force (SIGKILL, or
 * `Worker.terminate`), because a loop or a hanging driver reacts to nothing gentler. Its end is reported
 * once, after everything else, with the reason.
 *
 * `childThread` starts a thread, and `child-process.ts` a process. `parent-port.ts` is the child's side.
 */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const IS_BUSY = /^State:\s*R/m;
const RESIDENT_KIB = /^VmRSS:\s*(\d+) kB$/m;
/** User and system time, after the name of the process, which ends in the last parenthesis. */
const TICKS = /\) \S(?: -?\d+){10} (\d+) (\d+)/;
/** Unit of the times in `stat`; the same on all Linux systems. */
const MS_PER_TICK = 10;
const MIB = 2 ** 20;
/** Interval of looking at the heap of a thread that has work. */
const HEAP_LOOK_MS = 50;
/** Megabytes by which the heap of a thread may exceed its limit before V8 acts. */
const HEAP_MARGIN_MB = 512;

/** A child that has been started. Implemented by processes, by threads and by tests. */
interface ChildHandle<To> {
  /** Process id; undefined for a thread, and for a process that could not be started. */
  readonly pid?: number | undefined;
  /**
   * Sends a message. A message to a child that has ended is dropped.
   *
   * @param transfer - Buffers that a thread takes over instead of copying them.
   * @throws {DOMException | Error} if the message cannot be cloned; nothing was sent then.
   */
  post(message: To, transfer?: readonly ArrayBuffer[]): void;
  /** Whether the child keeps this process alive. A child that has just been started does not. */
  setHolding(isHolding: boolean): void;
  /** Ends the child by force. `onExit` follows. */
  kill(): void;
}

/** Events of a started child. */
export interface ChildHandleEvents<From> {
  readonly onMessage: (message: From) => void;
  /** Called once, after everything else. */
  readonly onExit: (exit: ChildExit) => void;
}

/** End of a child. */
interface ChildExit {
  /** Reason for callers, such as "exit code 1": no paths, and nothing that the child printed. */
  readonly how: string;
  /** Reason for operators: `how` and the end of what the child printed. Equal to `how` if absent. */
  readonly inFull?: string;
  /** The end of what the child printed on its standard error. */
  readonly lastWords?: string;
  /** The uncaught error of a thread. */
  readonly cause?: unknown;
  /** The child ran out of memory. */
  readonly isOutOfMemory?: boolean;
  /** Somebody outside this process killed it. Its work and the installation are not to blame. */
  readonly wasKilled?: boolean;
}

/** Starts a child. */
export type StartChild<To, From> = (events: ChildHandleEvents<From>) => ChildHandle<To>;

/** The end of a supervised child. */
export interface ChildEnd extends Required<Omit<ChildExit, 'lastWords'>> {
  /** Whether the child had said `ready`. */
  readonly wasReady: boolean;
  /** Whether `kill` was called without a fault. */
  readonly wasIntended: boolean;
}

/** Message with which a child says that it can be given work. */
type Ready<From> = Extract<From, { readonly kind: 'ready' }>;

/** Events of a supervised child. */
interface SupervisedChildEvents<From> {
  /** The child can be given work. */
  readonly onReady: (message: Ready<From>) => void;
  /** Any later message. */
  readonly onMessage: (message: Exclude<From, Ready<From>>) => void;
  /** Called once, after everything else. */
  readonly onEnd: (end: ChildEnd) => void;
}

/** Options of a supervised child. */
interface SupervisedChildOptions<To, From> {
  readonly start: StartChild<To, From>;
  /** A child that has not said `ready` after this many milliseconds is ended. */
  readonly startLimitMs: number;
}

/** A supervised child. It is sent messages of type `To` and sends messages of type `From`. */
export class SupervisedChild<To, From extends { readonly kind: string }> {
  readonly #handle: ChildHandle<To>;
  readonly #events: SupervisedChildEvents<From>;
  readonly #deadlines = new Set<NodeJS.Timeout>();
  readonly #ended = Promise.withResolvers<void>();
  #isReady = false;
  #isEnding = false;
  #hasEnded = false;
  /** Why supervision ended the child; undefined for a child that was ended on purpose, or by itself. */
  #fault: string | undefined;

  constructor(
    { start, startLimitMs }: SupervisedChildOptions<To, From>,
    events: SupervisedChildEvents<From>,
  ) {
    this.#events = events;
    const cancel = this.killAfter(startLimitMs, `no sign of life for ${startLimitMs} ms`);
    this.#handle = start({
      onMessage: (message) => {
        if (isReady(message)) {
          cancel();
          this.#isReady = true;
          events.onReady(message);
        }
        // Checked: `ready` is the only other kind.
        else events.onMessage(message as Exclude<From, Ready<From>>);
      },
      onExit: (exit) => this.#onExit(exit),
    });
  }

  /** Process id; undefined for a thread, and after the end, when the number may be another's. */
  get pid(): number | undefined {
    return this.#hasEnded ? undefined : this.#handle.pid;
  }

  /** Whether the child has said `ready`. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether the child has ended or is being ended. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Resolves when the child has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Sends a message, as `ChildHandle.post`. */
  post(message: To, transfer?: readonly ArrayBuffer[]): void {
    this.#handle.post(message, transfer);
  }

  /** Whether the child keeps this process alive: while it has work. */
  setHolding(isHolding: boolean): void {
    this.#handle.setHolding(isHolding);
  }

  /**
   * Ends the child, whatever it does.
   *
   * @param fault - Why supervision ends it; reported as the reason of the end. Without one the end is
   *   intended.
   */
  kill(fault?: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#fault = fault;
    this.#handle.kill();
  }

  /**
   * Ends the child after a time, unless that is cancelled before.
   *
   * @param fault - As of `kill`.
   * @returns Cancels the deadline.
   */
  killAfter(ms: number, fault?: string): () => void {
    const timer = setTimeout(() => this.kill(fault), ms).unref();
    this.#deadlines.add(timer);
    return () => {
      clearTimeout(timer);
      this.#deadlines.delete(timer);
    };
  }

  /** Memory of the process, bytes; undefined for a thread, and where it cannot be read. */
  rssBytes(): number | undefined {
    const [, kib] = RESIDENT_KIB.exec(this.#procFile('status')) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  }

  /** CPU time of all threads of the process, milliseconds; undefined likewise. */
  cpuMs(): number | undefined {
    const [, user, system] = TICKS.exec(this.#procFile('stat')) ?? [];
    return user === undefined ? undefined : (Number(user) + Number(system)) * MS_PER_TICK;
  }

  /** Whether the process's main thread runs, or would if it had a core; false likewise. */
  isComputing(): boolean {
    return IS_BUSY.test(this.#procFile('status'));
  }

  /** A file that Linux has about the process; empty on other systems, and once the process has gone. */
  #procFile(file: 'stat' | 'status'): string {
    const { pid } = this;
    if (process.platform !== 'linux' || pid === undefined) return '';
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  }

  #onExit({ how, inFull, cause, isOutOfMemory = false, wasKilled = false }: ChildExit): void {
    const wasIntended = this.#isEnding && this.#fault === undefined;
    this.#isEnding = true;
    this.#hasEnded = true;
    for (const timer of this.#deadlines) clearTimeout(timer);
    this.#ended.resolve();
    this.#events.onEnd({
      how: this.#fault ?? how,
      inFull: this.#fault ?? inFull ?? how,
      cause,
      isOutOfMemory,
      wasKilled,
      wasReady: this.#isReady,
      wasIntended,
    });
  }
}

function isReady<From extends { readonly kind: string }>(message: From): message is Ready<From> {
  return message.kind === 'ready';
}

/** Options of a thread. */
interface ChildThreadOptions {
  /** The thread's module. */
  readonly entry: URL;
  /** The thread's `workerData`: plain data. */
  readonly setup?: unknown;
  /**
   * Limit of the thread's JavaScript heap while it has work, MB; typed arrays and WebAssembly memory lie outside it.
   * Garbage counts until V8 collects it, which it does in time for what lives if that is less than the limit by 512 MB.
   */
  readonly heapLimitMb?: number;
}

/**
 * A function that starts a supervised child as a thread of this process.
 *
 * V8 must not reach its own limit of a thread's heap: it may end the whole process there. Node raises that limit by
 * 16 MB and asks the thread to end, but V8 aborts if the next collection, or one large array, needs more than these. So
 * this process looks at the heap itself and ends a thread that is over its limit, far from that of V8.
 */
export function childThread<To, From>({
  entry,
  setup,
  heapLimitMb,
}: ChildThreadOptions): StartChild<To, From> {
  return ({ onMessage, onExit }) => {
    const worker = new Worker(entry, {
      workerData: setup,
      ...(heapLimitMb !== undefined && {
        resourceLimits: { maxOldGenerationSizeMb: heapLimitMb + HEAP_MARGIN_MB },
      }),
    });
    worker.unref();
    let fault: Pick<ChildExit, 'how' | 'cause' | 'isOutOfMemory'> | undefined;
    const heap = heapLimitMb === undefined ? undefined : new HeapWatch(worker, heapLimitMb);
    heap?.full.then((how) => {
      fault ??= { how, isOutOfMemory: true };
      void worker.terminate();
    });
    worker.on('message', onMessage);
    worker.on('messageerror', (cause) => {
      fault ??= { how: 'its answer could not be read', cause };
      void worker.terminate();
    });
    worker.on('error', (cause) => {
      const isOutOfMemory =
        cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const how = cause instanceof Error ? cause.message : String(cause);
      fault ??= { how, cause, isOutOfMemory };
    });
    worker.on('exit', (exitCode) => {
      heap?.setActive(false);
      onExit(fault ?? { how: `exit code ${exitCode}` });
    });
    return {
      post: (message, transfer) => worker.postMessage(message, transfer),
      setHolding: (isHolding) => {
        heap?.setActive(isHolding);
        if (isHolding) worker.ref();
        else worker.unref();
      },
      kill: () => void worker.terminate(),
    };
  };
}

/** Looks at the heap of a thread while that has work. */
class HeapWatch {
  readonly #worker: Worker;
  readonly #limitMb: number;
  readonly #full = Promise.withResolvers<string>();
  #isActive = false;
  #isLooking = false;

  constructor(worker: Worker, limitMb: number) {
    this.#worker = worker;
    this.#limitMb = limitMb;
  }

  /** Resolves with the reason once the heap is over its limit. */
  get full(): Promise<string> {
    return this.#full.promise;
  }

  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    if (isActive && !this.#isLooking) this.#lookLater();
  }

  #lookLater(): void {
    this.#isLooking = this.#isActive;
    if (this.#isLooking) setTimeout(() => void this.#look(), HEAP_LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    // It has no figures while it starts. Those of a thread in the middle of a loop come between two rounds.
    const heap = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (heap === undefined || heap.used_heap_size <= this.#limitMb * MIB) this.#lookLater();
    else this.#full.resolve(`its heap took more memory than ${this.#limitMb} MiB`);
  }
}
