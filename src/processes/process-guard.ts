/**
 * Ends the processes of a pool with the service, also when that is killed and they are in the middle of
 * a long loop, in which nothing tells them.
 *
 * A shell reads the numbers of the processes that there are off a pipe from the service. The system
 * closes that pipe however the service ends; then the shell kills the processes of the last line. A thread in each
 * process was not taken as an alternative: Node's permissions do not limit threads, so these processes may start none.
 * Where there is no `/bin/sh`, processes end as soon as they yield.
 */
import { type ChildProcess, spawn } from 'node:child_process';

const SHELL = '/bin/sh';
/** A line has all the numbers; one that was not written to its end is not taken for one. */
const SCRIPT = `trap '' HUP INT TERM
while read -r line; do processes=$line; done
for process in $processes; do kill -9 "$process"; done`;

/** The shell, which is there while it is needed. */
export class ProcessGuard {
  readonly #processes = new Set<number>();
  #shell: ChildProcess | undefined;
  #isClosed = false;
  #hasNoShell = false;

  /** Has a process end with the service. */
  add(pid: number): void {
    this.#processes.add(pid);
    this.#tell();
  }

  /** It has ended: its number may be another's from now on. */
  remove(pid: number): void {
    if (this.#processes.delete(pid)) this.#tell();
  }

  /** Ends the shell; processes that are still there end, too. */
  close(): void {
    this.#isClosed = true;
    this.#shell?.stdin?.end();
  }

  #tell(): void {
    if (this.#isClosed || this.#hasNoShell) return;
    this.#shell ??= this.#start();
    this.#shell?.stdin?.write(`${[...this.#processes].join(' ')}\n`);
  }

  #start(): ChildProcess | undefined {
    try {
      const shell = spawn(SHELL, ['-c', SCRIPT], {
        cwd: '/',
        env: {},
        stdio: ['pipe', 'ignore', 'ignore'],
        // A signal to the service's group of processes does not end the shell before it has done its part.
        detached: true,
      });
      shell.on('error', () => {
        this.#hasNoShell = true;
      });
      // Somebody ended it: the next message starts a new one.
      shell.on('exit', () => {
        this.#shell = undefined;
      });
      const { stdin } = shell;
      // Written to after its end, which is about to be heard of.
      stdin.on('error', () => {});
      // It does not keep the service alive.
      shell.unref();
      if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
      return shell;
    } catch {
      // The machine has no memory for it, say; perhaps it has for the next.
      return undefined;
    }
  }
}
