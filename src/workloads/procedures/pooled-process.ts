/** A process of the pool: given one call after the other until it ends or has to be ended. */
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

/** As this module's own: `.ts` in the sources, `.js` in what is published. */
const ENTRY = new URL(`./procedure-process${extname(import.meta.url)}`, import.meta.url);

/** Until a process has said that it is ready; the machine may be busy. */
const START_LIMIT_MS = 60_000;
/** What takes no longer leaves no more memory behind than is worth looking for. */
const SHORT_MS = 10;
/** How often a process with a call is looked at: its memory, and whether it only waits. */
const LOOK_EVERY_MS = 50;
/** A process that still has this part of the memory it may have, after a call, makes room for a new one. */
const WORN_AT = 0.6;

/** After these a process has nothing to do. */
const ENDS: ReadonlySet<FromProcess['kind']> = new Set(['done', 'failed', 'aborted']);

/** How a process is started, and ended. */
export interface PooledProcessOptions {
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
  /** From a cancel or a deadline to the end of a process that did not come back. */
  readonly graceMs: number;
}

/** What the pool hears. */
export interface ProcessEvents {
  /** It can be given its first call. */
  readonly onReady: () => void;
  /** It can be given another call. */
  readonly onFree: (process: PooledProcess) => void;
  /** Its call is seen only to wait for processors; told again and again while that is so. */
  readonly onParked: () => void;
  /** It has ended. */
  readonly onEnd: (end: ChildEnd) => void;
}

/** A process. */
export class PooledProcess {
  readonly #child: SupervisedChild<ToProcess, FromProcess>;
  readonly #events: ProcessEvents;
  readonly #options: PooledProcessOptions;
  #call: RunningCall | undefined;
  #isTooLarge = false;
  /** When it was last looked at. */
  #wasIdle = false;
  /** What ends the call now is the process, which has come back with it. */
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
            // A message that is none, or a hook of the caller: the end of this call, not of the service.
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

  /** Whether it is about to go: it takes no further call. */
  get isEnding(): boolean {
    return this.#child.isEnding;
  }

  /** Whether it can be given a call. */
  get isFree(): boolean {
    return this.wasReady && this.#call === undefined && !this.isEnding;
  }

  /** Whether it will be free without anything ending before. */
  get isStarting(): boolean {
    return !this.wasReady && !this.isEnding;
  }

  /** Whose call it has; undefined without one. */
  get key(): string | undefined {
    return this.call?.keyId;
  }

  /** Whose call it has, where that has done nothing but wait for processors for a while. */
  get parkedFor(): string | undefined {
    return this.#wasIdle && this.#isWaiting ? this.call?.keyId : undefined;
  }

  /** The call that it is at, unless that has been answered. */
  get call(): RunningCall | undefined {
    return this.#call?.hasEnded === false ? this.#call : undefined;
  }

  /** Gives a call to a free process. */
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

  /** Ends it, whatever it does. */
  kill(): void {
    this.#child.kill();
  }

  /** Resolves when it has gone. */
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

  /** Its call has been answered: it has a while to be through with it, too. */
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

  /** For longer than a circuit takes that hardly waits. */
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
