/** A process of the pool. It runs one call after the other until it ends or is killed. */
import { extname } from 'node:path';
import { childProcess } from '../../processes/child-process.ts';
import type { ProcessGuard } from '../../processes/process-guard.ts';
import { withoutLinks } from '../../processes/read-permissions.ts';
import {
  type ChildEnd,
  type StartChild,
  SupervisedChild,
} from '../../processes/supervised-child.ts';
import type { FromProcess, ProcessSetup, ToProcess } from './procedure-messages.ts';
import { RunningCall, type StartingCall } from './running-call.ts';

/** Has this module's own extension: `.ts` in the sources, `.js` in the published package. */
const ENTRY = new URL(`./procedure-process${extname(import.meta.url)}`, import.meta.url);

/** Longest start of a process, milliseconds; generous, as the machine may be busy. */
const START_LIMIT_MS = 60_000;
/** After a call of up to this many milliseconds the memory of the process is not measured. */
const SHORT_MS = 10;
/** Interval at which a busy process is checked: its memory, and whether it only waits. Milliseconds. */
const LOOK_EVERY_MS = 50;
/** A process that still uses this fraction of its memory limit after a call is replaced. */
const WORN_AT = 0.6;

/** Messages after which a process is idle. */
const ENDS: ReadonlySet<FromProcess['kind']> = new Set(['done', 'failed', 'aborted']);

/** Settings of a process. */
export interface PooledProcessOptions {
  /** Module that exports `findProcedure`. */
  readonly catalog: URL;
  /** Limit of V8's old space, MiB. */
  readonly heapLimitMb: number;
  readonly maxRssBytes: number;
  readonly maxResultBytes: number;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Kills the process if the service itself dies. */
  readonly guard: ProcessGuard;
  /** Time from a cancel or a deadline until a process that has not answered is killed, milliseconds. */
  readonly graceMs: number;
}

/** Events that the pool listens to. */
export interface ProcessEvents {
  /** The process has started. */
  readonly onReady: () => void;
  /** The process can take another call. */
  readonly onFree: (process: PooledProcess) => void;
  /** The call only waits for processors; repeated while that is so. */
  readonly onParked: () => void;
  /** The process has ended. */
  readonly onEnd: (end: ChildEnd) => void;
}

/** A process. */
export class PooledProcess {
  readonly #child: SupervisedChild<ToProcess, FromProcess>;
  readonly #events: ProcessEvents;
  readonly #options: PooledProcessOptions;
  #call: RunningCall | undefined;
  #isTooLarge = false;
  /** Whether the process was idle at the last check. */
  #wasIdle = false;
  /** Whether the current call ends because the process has finished it. */
  #comesBack = false;
  #numCalls = 0;
  #lookTimer: NodeJS.Timeout | undefined;
  #stopGrace: (() => void) | undefined;

  constructor(options: PooledProcessOptions, events: ProcessEvents) {
    this.#events = events;
    this.#options = options;
    this.#child = new SupervisedChild(
      { start: starterOf(options), startLimitMs: START_LIMIT_MS },
      {
        onReady: () => {
          this.#child.setHolding(false);
          events.onReady();
        },
        onMessage: (message) => {
          try {
            this.#hear(message);
          } catch (error) {
            // A malformed message, or a hook of the caller that throws, ends this call and not the
            // service.
            this.#call?.end({ kind: 'failed', error });
            this.kill();
          }
        },
        onEnd: (end) => this.#ended(end),
      },
    );
    // Its call waits for it.
    this.#child.setHolding(true);
  }

  get wasReady(): boolean {
    return this.#child.isReady;
  }

  /** Whether the process is about to end; it takes no further call. */
  get isEnding(): boolean {
    return this.#child.isEnding;
  }

  /** Whether the process can take a call. */
  get isFree(): boolean {
    return this.wasReady && this.#call === undefined && !this.isEnding;
  }

  /** Whether the process is still starting. */
  get isStarting(): boolean {
    return !this.wasReady && !this.isEnding;
  }

  /** Key of its call; undefined without one. */
  get key(): string | undefined {
    return this.call?.keyId;
  }

  /** Key of its call if that call has only waited for processors for a while; undefined otherwise. */
  get parkedFor(): string | undefined {
    return this.#wasIdle && this.#isWaiting ? this.call?.keyId : undefined;
  }

  /** The current call; undefined once that has been answered. */
  get call(): RunningCall | undefined {
    return this.#call?.hasEnded === false ? this.#call : undefined;
  }

  /** Starts a call. The process must be free. */
  run(starting: StartingCall): void {
    if (!this.isFree) throw new Error('unreachable: the process has a call');
    this.#child.setHolding(true);
    const { onEnd } = starting;
    const call = new RunningCall(
      {
        ...starting,
        onEnd: (end, ms) => {
          if (!this.#comesBack) this.#hurry();
          onEnd(end, ms);
        },
      },
      this.#numCalls++,
      (message) => this.#child.post(message),
    );
    this.#call = call;
    this.#lookTimer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Kills the process. */
  kill(): void {
    this.#child.kill();
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#child.ended;
  }

  #hear(message: Exclude<FromProcess, { kind: 'ready' }>): void {
    const call = this.#call;
    this.#comesBack = ENDS.has(message.kind);
    const news = call?.hear(message) ?? 'goes-on';
    this.#comesBack = false;
    if (call === undefined || news === 'goes-on') return;
    this.#release();
    const mayHaveGrown = call.runningMs > SHORT_MS;
    if (news === 'came-back-broken' || (mayHaveGrown && this.#isWorn())) this.kill();
    else if (!this.isEnding) this.#events.onFree(this);
  }

  /** Kills the process after the grace period unless it finishes the call, which has been answered. */
  #hurry(): void {
    this.#stopGrace = this.#child.killAfter(this.#options.graceMs);
  }

  #release(): void {
    this.#call = undefined;
    this.#wasIdle = false;
    this.#stopGrace?.();
    clearInterval(this.#lookTimer);
    this.#child.setHolding(false);
  }

  /** Whether the call has waited longer than a circuit that starts almost at once takes. */
  get #isWaiting(): boolean {
    return (this.call?.waitingMs ?? 0) >= LOOK_EVERY_MS;
  }

  #isWorn(): boolean {
    return (this.#child.rssBytes() ?? 0) > WORN_AT * this.#options.maxRssBytes;
  }

  #look(): void {
    if ((this.#child.rssBytes() ?? 0) > this.#options.maxRssBytes) {
      this.#isTooLarge = true;
      this.kill();
      return;
    }
    this.#wasIdle = this.#isWaiting && !this.#child.isComputing();
    if (this.#wasIdle) this.#events.onParked();
  }

  #ended(end: ChildEnd): void {
    const call = this.#call;
    if (call !== undefined) this.#release();
    this.#events.onEnd(end);
    if (end.isOutOfMemory || this.#isTooLarge) call?.end({ kind: 'out-of-memory' });
    else call?.end({ kind: 'lost', end });
  }
}

function starterOf({
  catalog,
  maxResultBytes,
  maxRssBytes,
  ...rest
}: PooledProcessOptions): StartChild<ToProcess, FromProcess> {
  const setup: ProcessSetup = {
    catalog: withoutLinks(catalog).href,
    maxResultBytes,
    maxRssBytes,
  };
  const { heapLimitMb, environment, guard } = rest;
  const flags = ['--disallow-code-generation-from-strings'];
  const confinement = { imports: [catalog] };
  return childProcess({ entry: ENTRY, setup, confinement, heapLimitMb, flags, environment, guard });
}
