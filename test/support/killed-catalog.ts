/** A catalog of procedures whose processes are killed while they load it. */
export function findProcedure(): undefined {}

/** Ends the process as the kernel does when memory is short. */
export async function preload(): Promise<void> {
  process.kill(process.pid, 'SIGKILL');
}
