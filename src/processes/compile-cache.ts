/** Node's cache of compiled code, for a process and all that it starts. */
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Enables the cache. Threads and child processes load much of the same code, and read its folder from the environment.
 *
 * @param environment - Environment of the process; gets `NODE_COMPILE_CACHE`, with Node's own default, unless it has it.
 */
export function keepCompiled(environment: Record<string, string | undefined>): void {
  environment['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  enableCompileCache();
}
