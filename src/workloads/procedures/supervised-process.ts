/**
 * The service's end of a process that does work of callers: runs procedures, reads bodies.
 *
 * A process rather than a thread, because V8 ends the whole process when a heap's limit is passed at a
 * bad moment, also where that limit is a thread's. The process has nothing of the service's environment
 * and may not write or start anything (Node's permission model).
 *
 * It is ended by SIGKILL: nothing of it is worth saving, and a loop hears nothing gentler.
 * It ends with the service, also when that is killed: as soon as it yields, or by a guard.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { describeExit } from '../../fleet/workers/process-host.ts';
import type { ProcessGuard } from './process-guard.ts';
import { permissionFlags, withoutLinks } from './readable-folders.ts';

/** How a process is started. */
export interface SupervisedProcessOptions {
  /** Its module. */
  readonly entry: URL;
  /** Plain data; the process reads it as JSON from its first argument. */
  readonly setup: unknown;
  /** Modules that it imports from other packages than its entry's. */
  readonly imports?: readonly URL[];
  /** Of V8's old space. */
  readonly heapLimitMb: number;
  /** Further flags of Node. */
  readonly flags?: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the process in the middle of a loop where the service can no more. */
  readonly guard?: ProcessGuard;
  /** Added to the priority number of the operating system: the higher, the later it gets a core. */
  readonly niceness?: number;
}

/** What is heard of a process. */
export interface SupervisedProcessEvents<From> {
  readonly onMessage: (message: From) => void;
  /** Once, after everything else. */
  readonly onEnd: (end: ProcessEnd) => void;
}

/** How a process ended. */
export interface ProcessEnd {
  /** For callers: no paths, nothing that it printed. */
  readonly how: string;
  /** For those who run the service. */
  readonly inFull: string;
  readonly isOutOfMemory: boolean;
  /** Whether somebody else killed it: that says nothing of what it was given, or of the installation. */
  readonly wasKilled: boolean;
}

/** The young generation's halves: with three of them the heap outgrows its limit by little. */
const SEMI_SPACE_MB = 8;
/** The last of what a process printed. */
const MAX_KEPT = 16_384;
/** What V8 says on its way out. */
const OUT_OF_MEMORY = /heap out of memory|Fatal process out of memory|Allocation failed - /;
/** Its main thread has something to do, or could have if there were a core for it. */
const IS_BUSY = /^State:\s*R/m;
/** The first fields of `stat` after the name, which ends in the last parenthesis. */
const TICKS = /\) \S(?: -?\d+){10} (\d+) (\d+)/;
/** Of the clock that `stat` counts in; the same on all of Linux. */
const MS_PER_TICK = 10;
const RESIDENT_KIB = /^VmRSS:\s*(\d+) kB$/m;

/** A process, which is sent messages of type `To` and sends those of type `From`. */
export class SupervisedProcess<To extends object, From> {
  readonly #child: ChildProcess;
  #lastWords = '';
  #hasEnded = false;
  /** From here. */
  #isKilled = false;
  readonly ended: Promise<void>;

  constructor(
    options: SupervisedProcessOptions,
    { onMessage, onEnd }: SupervisedProcessEvents<From>,
  ) {
    const child = start(options);
    this.#child = child;
    const { guard, niceness } = options;
    const { pid } = child;
    if (pid !== undefined && niceness !== undefined) lowerPriority(pid, niceness);
    if (pid !== undefined && guard !== undefined) {
      guard.add(pid);
      // At its exit, not when its pipes are closed: from then on the number may be another's.
      child.on('exit', () => guard.remove(pid));
    }
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-MAX_KEPT);
    });
    // With a listener, a pipe holds this process although the child does not.
    const pipe = child.stderr;
    if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
    // Checked: the entry sends messages of this type and no others.
    child.on('message', (message) => onMessage(message as From));
    this.ended = new Promise((resolve) => {
      const end = (how: string, inFull: string, wasKilled: boolean) => {
        if (this.#hasEnded) return;
        this.#hasEnded = true;
        resolve();
        const isOutOfMemory = OUT_OF_MEMORY.test(this.#lastWords);
        onEnd({ how, inFull, isOutOfMemory, wasKilled });
      };
      child.on('error', ({ message }) => {
        if (child.pid === undefined) end('it could not be started', message, false);
      });
      // Not at its exit: what it said last is read after that.
      child.on('close', (code, signal) => {
        const wasKilled = signal === 'SIGKILL' && !this.#isKilled;
        const inFull = describeExit(code, signal, this.#lastWords);
        end(describeExit(code, signal, ''), inFull, wasKilled);
      });
    });
  }

  /**
   * Sends a message; nothing to a process that has gone, which is heard of by its end.
   *
   * @throws what is not cloneable.
   */
  post(message: To): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Whether this process stays alive for it. */
  setHolding(isHolding: boolean): void {
    const { channel } = this.#child;
    if (isHolding) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  /** Ends it; `ended` resolves when it has gone. */
  kill(): void {
    if (this.#hasEnded) return;
    this.#isKilled = true;
    this.#child.ref();
    this.#child.kill('SIGKILL');
  }

  /** What it has of the machine's memory; undefined where that cannot be read from here. */
  rssBytes(): number | undefined {
    const [, kib] = RESIDENT_KIB.exec(this.#read('status') ?? '') ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  }

  /** CPU time that it has taken, all its threads together, milliseconds; undefined likewise. */
  cpuMs(): number | undefined {
    const [, user, system] = TICKS.exec(this.#read('stat') ?? '') ?? [];
    return user === undefined ? undefined : (Number(user) + Number(system)) * MS_PER_TICK;
  }

  /** Whether it is seen to be computing; never where that cannot be seen from here. */
  isComputing(): boolean {
    return IS_BUSY.test(this.#read('status') ?? '');
  }

  #read(file: 'stat' | 'status'): string | undefined {
    const { pid } = this.#child;
    if (process.platform !== 'linux' || pid === undefined) return undefined;
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      // It has just gone.
      return undefined;
    }
  }
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness));
  } catch {
    // It has ended already, or the system does not allow it: then it runs as everything else does.
  }
}

function start({
  entry,
  setup,
  imports = [],
  heapLimitMb,
  flags = [],
  environment,
}: SupervisedProcessOptions): ChildProcess {
  // Links are followed here: the process may not look at what is on the way.
  const modules = [entry, ...imports].map(withoutLinks);
  const [program = entry] = modules;
  return fork(program, [JSON.stringify(setup)], {
    serialization: 'advanced',
    // Instead of this process's own flags, a debugger's port among them.
    execArgv: [
      ...permissionFlags(modules),
      ...flags,
      `--max-old-space-size=${heapLimitMb}`,
      `--max-semi-space-size=${SEMI_SPACE_MB}`,
    ],
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
