/**
 * The service's end of a process that runs procedures.
 *
 * A process rather than a thread, because V8 ends the whole process when a heap's limit is passed at a
 * bad moment, also where that limit is a thread's. It has nothing of the service's environment, may
 * not write or start anything (Node's permission model), and cannot make code from text.
 *
 * It is ended by SIGKILL: nothing of it is worth saving, and a loop hears nothing gentler.
 * It ends with the service, also when that is killed: as soon as it yields, or by the pool's guard.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { describeExit } from '../../fleet/workers/process-host.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import type { ProcessGuard } from './process-guard.ts';
import { permissionFlags, withoutLinks } from './readable-folders.ts';

/** How processes are started. */
export interface HostOptions {
  /** Module that exports `findProcedure`. */
  readonly catalog: URL;
  /** Of V8's old space. */
  readonly heapLimitMb: number;
  readonly maxRssBytes: number;
  readonly maxResultBytes: number;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the process where the service can no more. */
  readonly guard: ProcessGuard;
}

/** What is heard of a process. */
export interface HostEvents {
  readonly onMessage: (message: FromProcess) => void;
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
}

/** As this module's own: `.ts` in the sources, `.js` in what is published. */
const ENTRY = new URL(`./procedure-process${extname(import.meta.url)}`, import.meta.url);
/** The young generation's halves: with three of them the heap outgrows its limit by little. */
const SEMI_SPACE_MB = 8;
/** The last of what a process printed. */
const MAX_KEPT = 16_384;
/** What V8 says on its way out. */
const OUT_OF_MEMORY = /heap out of memory|Fatal process out of memory|Allocation failed - /;
/** Its main thread has something to do, or could have if there were a core for it. */
const IS_BUSY = /^State:\s*R/m;
const RESIDENT_KIB = /^VmRSS:\s*(\d+) kB$/m;

/** A process. */
export class ProcedureHost {
  readonly #child: ChildProcess;
  #lastWords = '';
  #hasEnded = false;
  readonly ended: Promise<void>;

  constructor(options: HostOptions, { onMessage, onEnd }: HostEvents) {
    const child = start(options);
    this.#child = child;
    const { guard } = options;
    const { pid } = child;
    if (pid !== undefined) {
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
    child.on('message', (message: FromProcess) => onMessage(message));
    this.ended = new Promise((resolve) => {
      const end = (how: string, inFull: string) => {
        if (this.#hasEnded) return;
        this.#hasEnded = true;
        resolve();
        onEnd({ how, inFull, isOutOfMemory: OUT_OF_MEMORY.test(this.#lastWords) });
      };
      child.on('error', ({ message }) => {
        if (child.pid === undefined) end('it could not be started', message);
      });
      // Not at its exit: what it said last is read after that.
      child.on('close', (code, signal) => {
        end(describeExit(code, signal, ''), describeExit(code, signal, this.#lastWords));
      });
    });
  }

  /**
   * Sends a message; nothing to a process that has gone, which is heard of by its end.
   *
   * @throws what is not cloneable.
   */
  post(message: ToProcess): void {
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
    this.#child.ref();
    this.#child.kill('SIGKILL');
  }

  /** What it has of the machine's memory; undefined where that cannot be read from here. */
  rssBytes(): number | undefined {
    const [, kib] = RESIDENT_KIB.exec(this.#status() ?? '') ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  }

  /** Whether it is seen to be computing; never where that cannot be seen from here. */
  isComputing(): boolean {
    return IS_BUSY.test(this.#status() ?? '');
  }

  #status(): string | undefined {
    const { pid } = this.#child;
    if (process.platform !== 'linux' || pid === undefined) return undefined;
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8');
    } catch {
      // It has just gone.
      return undefined;
    }
  }
}

function start({
  catalog,
  heapLimitMb,
  maxRssBytes,
  maxResultBytes,
  environment,
}: HostOptions): ChildProcess {
  // Links are followed here: the process may not look at what is on the way.
  const [entry, procedures] = [withoutLinks(ENTRY), withoutLinks(catalog)];
  const setup: ProcessSetup = { catalog: procedures.href, maxResultBytes, maxRssBytes };
  return fork(entry, [JSON.stringify(setup)], {
    serialization: 'advanced',
    // Instead of this process's own flags, a debugger's port among them.
    execArgv: [
      ...permissionFlags([entry, procedures]),
      '--disallow-code-generation-from-strings',
      `--max-old-space-size=${heapLimitMb}`,
      `--max-semi-space-size=${SEMI_SPACE_MB}`,
    ],
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}
