/** Catalog of all procedures by owner and name, which procedure processes import. */
import { AGENTS } from './agents/agents.ts';
import type { Procedure } from './procedures/procedure.ts';
import { TPU_OWNER, TPU_PROCEDURES } from './tpu/tpu-procedures.ts';

/** The procedure of this owner and name; undefined if there is none. */
export function findProcedure(owner: string, name: string): Procedure | undefined {
  const procedures =
    owner === TPU_OWNER ? TPU_PROCEDURES : AGENTS.find(({ id }) => id === owner)?.procedures;
  return procedures?.find((procedure) => procedure.name === name);
}

/** Loads slow modules in advance, so that no call's deadline pays for it. */
export async function preload(): Promise<void> {
  await import('./agents/computation/run-evaluate.ts');
}
