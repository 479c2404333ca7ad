/** What the CHSH test takes; chsh-run.ts does it. */
import { z } from 'zod';
import { seedField, shotsField } from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';

const MAX_SHOTS = 1_000_000;
const MAX_ANGLE = 1_000;

const angle = (what: string) =>
  z.number().min(-MAX_ANGLE).max(MAX_ANGLE).describe(`Analyser angle ${what}, radians`);

const input = z.strictObject({
  shots: shotsField(MAX_SHOTS, 4_096).describe(
    'Number of pairs measured in each of the four settings',
  ),
  seed: seedField,
  angles: z
    .strictObject({
      a: angle("a of Alice's first setting"),
      a_prime: angle("a' of Alice's second setting"),
      b: angle("b of Bob's first setting"),
      b_prime: angle("b' of Bob's second setting"),
    })
    .optional()
    .describe("By default 0, π/2, π/4 and −π/4, which reach Tsirelson's bound"),
  visibility: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Weight of the Bell pair in a mixture with the maximally mixed state; default 1'),
});

/** An input of the CHSH test. */
export type ChshInput = z.output<typeof input>;

/** The CHSH test of a Bell pair. */
export const chsh = procedure({
  name: 'chsh',
  description:
    'Measures Bell pairs in four settings of two analysers and compares S with the classical bound 2 and with 2√2. The result has the four correlations, S with its standard error, and its exact value; `violates_classical_bound` is true if |S| exceeds 2 by more than 3 standard errors: with few shots S exceeds 2 by chance.',
  input,
  limits: { deadline_ms: 60_000, shots: MAX_SHOTS },
  example: { shots: 2_000, seed: 7 },
  load: () => import('./chsh-run.ts').then(({ runChsh }) => runChsh),
});
