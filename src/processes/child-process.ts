/**
 * Starts a supervised child as a process of its own: a crash, a hanging driver or a full heap of the child
 * does not reach the service. (V8 ends the whole process when the heap of a thread runs full at a bad
 * moment.)
 *
 * A confined process reads its own code, models and packages, and may neither write files nor start
 * processes, threads or native modules (Node's permission model). A guarded process is killed with the
 * service, even in the middle of a loop.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import type { ProcessGuard } from './process-guard.ts';
import { permissionFlags, withoutLinks } from './read-permissions.ts';
import type { StartChild } from './supervised-child.ts';

/** Options of a process. */
interface ChildProcessOptions<From> {
  /** The process's module. */
  readonly entry: URL;
  /** Plain data, which the process reads as JSON from its first argument. */
  readonly setup: unknown;
  /** The whole environment of the process; that of this process if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Confines the process to reading: `imports` are its modules outside the package of its entry. */
  readonly confinement?: { readonly imports: readonly URL[] };
  /** Limit of V8's old space, MB; no limit if absent. */
  readonly heapLimitMb?: number;
  /** More flags for Node. */
  readonly flags?: readonly string[];
  /** Kills the process when the service has gone. */
  readonly guard?: ProcessGuard;
  /** Added to the nice value of the process: the higher, the less CPU time it gets. */
  readonly niceness?: number;
  /** Applied to every message of the process before it is passed on. */
  readonly receive?: (message: From) => From;
}

/** Size of V8's semi-spaces, MB. There are three, so that the heap outgrows its limit by little. */
const SEMI_SPACE_MB = 8;
/** Number of last characters kept of a process's output. */
const MAX_KEPT = 16_384;
/** Characters of these that `describeExit` repeats. */
const MAX_LAST_WORDS = 300;
/** Dawn's warning when a driver allows more than Dawn can use. No process ends because of it. */
const USUAL_WARNING = /^Warning: max\w+ artificially reduced from .*\n?/gm;
/** V8's message when a heap is full. */
const OUT_OF_MEMORY = /heap out of memory|Fatal process out of memory|Allocation failed - /;

/** A function that starts a process. */
export function childProcess<To extends object, From>(
  options: ChildProcessOptions<From>,
): StartChild<To, From> {
  return ({ onMessage, onExit }) => {
    const { guard, niceness, receive = (message) => message } = options;
    const child = forkChild(options);
    const { pid, stderr } = child;
    let lastWords = '';
    let hasEnded = false;
    let isKilled = false;
    const end = (code: number | null, signal: string | null) => {
      if (hasEnded) return;
      hasEnded = true;
      onExit({
        how: describeExit(code, signal, ''),
        inFull: describeExit(code, signal, lastWords),
        lastWords,
        isOutOfMemory: OUT_OF_MEMORY.test(lastWords),
        wasKilled: signal === 'SIGKILL' && !isKilled,
      });
    };
    if (pid !== undefined && niceness !== undefined) lowerPriority(pid, niceness);
    if (pid !== undefined && guard !== undefined) {
      guard.add(pid);
      // On exit, not on close: from then on the number may be another process's.
      child.on('exit', () => guard.remove(pid));
    }
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-MAX_KEPT);
    });
    // A pipe with a listener keeps this process alive even if the child does not.
    if (stderr !== null && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
    // Checked: the entry sends messages of this type and no others.
    child.on('message', (message) => onMessage(receive(message as From)));
    child.on('error', ({ message }) => {
      if (child.pid !== undefined || hasEnded) return;
      hasEnded = true;
      onExit({ how: 'it could not be started', inFull: message });
    });
    // On close, not on exit: only then everything that the process printed has been read.
    child.on('close', end);
    const setHolding = (isHolding: boolean) => {
      for (const each of [child, child.channel]) isHolding ? each?.ref() : each?.unref();
    };
    setHolding(false);
    return {
      pid,
      post: (message) => {
        if (child.connected) child.send(message, () => {});
      },
      setHolding,
      kill: () => {
        isKilled = true;
        child.ref();
        child.kill('SIGKILL');
      },
    };
  };
}

function forkChild<From>(options: ChildProcessOptions<From>): ChildProcess {
  const { entry, setup, environment, confinement, heapLimitMb, flags = [] } = options;
  // Links are followed here: a confined process may not read the folders on the way.
  const modules = [entry, ...(confinement?.imports ?? [])].map(withoutLinks);
  const [program = entry] = modules;
  return fork(program, [JSON.stringify(setup)], {
    serialization: 'advanced',
    // Replaces this process's own flags, such as a debugger's port.
    execArgv: [
      ...(confinement === undefined ? [] : permissionFlags(modules)),
      ...flags,
      ...(heapLimitMb === undefined
        ? []
        : [`--max-old-space-size=${heapLimitMb}`, `--max-semi-space-size=${SEMI_SPACE_MB}`]),
    ],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(environment && { env: environment }),
  });
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness));
  } catch {
    // It has ended already, or the system does not allow it: it keeps the usual priority.
  }
}

/** End of a process, in words: "exit code 1, saying: no driver". */
export function describeExit(
  code: number | null,
  signal: string | null,
  lastWords: string,
): string {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  const words = lastWords.replaceAll(USUAL_WARNING, '').trim().slice(-MAX_LAST_WORDS);
  return words === '' ? how : `${how}, saying: ${words}`;
}

/**
 * A message whose typed arrays have buffers of their own. Arrays that come over a channel are views of a
 * buffer with other things in it; results are passed on with their buffers.
 *
 * @param message - Plain data: objects, arrays, typed arrays and primitives. Not changed.
 */
export function withOwnBuffers<T>(message: T): T {
  // Checked: every branch returns what it was given, with copies of its arrays.
  return copied(message) as T;
}

const TYPED_ARRAY: Uint8Array = Object.getPrototypeOf(Uint8Array.prototype);

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof DataView) return value;
  // Not by its own `slice`: a Buffer's shares memory.
  if (ArrayBuffer.isView(value)) return TYPED_ARRAY.slice.call(value);
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each)]));
}
