/** Every procedure of the service by its owner and name: what the processes that run them look up. */
import { AGENTS } from './agents/agents.ts';
import type { Procedure } from './procedures/procedure.ts';
import { TPU_OWNER, TPU_PROCEDURES } from './tpu/tpu-procedures.ts';

/** The procedure of that name; undefined where there is none. */
export function findProcedure(owner: string, name: string): Procedure | undefined {
  const procedures =
    owner === TPU_OWNER ? TPU_PROCEDURES : AGENTS.find(({ id }) => id === owner)?.procedures;
  return procedures?.find((procedure) => procedure.name === name);
}

/** Loads what takes long to load, so that no call pays for it with its time. */
export async function preload(): Promise<void> {
  await import('./agents/computation/run-evaluate.ts');
}
