/** Descriptions of procedures explain the result fields that are not self-explanatory. */
import { expect, test } from 'vitest';
import { AGENTS } from '../../../src/workloads/agents/agents.ts';
import { TPU_PROCEDURES } from '../../../src/workloads/tpu/tpu-procedures.ts';

const PROCEDURES = [...AGENTS.flatMap(({ procedures }) => procedures), ...TPU_PROCEDURES];

test.each([
  ['bb84', 'eve_knows_share'],
  ['chsh', 'violates_classical_bound'],
  ['assignment', 'gain_over_guessing'],
  ['routing', 'gain_over_guessing'],
  ['optimization', 'gain_over_guessing'],
  ['synthesize', 'interaction_angles'],
  ['mitigate', 'ideal'],
  ['noise_scan', 'largest_probability_standard_error'],
  ['training', 'scaler'],
  ['derivative', 'verified'],
])('%s tells what %s is', (name, field) => {
  const described = PROCEDURES.find((each) => each.name === name);
  expect(described?.description).toContain(`\`${field}\``);
});
