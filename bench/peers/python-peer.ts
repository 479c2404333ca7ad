/** A warm Python process that is compared with: it writes its name, then answers each line of JSON with another. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The process. */
export interface PythonPeer extends AsyncDisposable {
  /** The library and its version. */
  readonly name: string;
  /** Sends a request; the caller knows the form of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  ask(request: object): Promise<any>;
}

/**
 * Starts a process.
 *
 * @param script - A file of this folder.
 * @throws {Error} if it ends instead of answering.
 */
export async function pythonPeer(
  python: string,
  script: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<PythonPeer> {
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(python, ['-W', 'ignore', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`${script} ended`);
    return JSON.parse(line.value);
  };
  const { name } = await answer();
  return {
    name,
    ask: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return await answer();
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
