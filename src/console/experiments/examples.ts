/** Experiments to start from. */
import type { ExperimentDraft } from './draft.ts';
import { repetitionCode } from './repetition-code.ts';

/** An experiment to start from, with a sentence about it. */
interface ExperimentExample {
  readonly name: string;
  readonly about: string;
  readonly draft: ExperimentDraft;
}

const USUAL: Omit<ExperimentDraft, 'text'> = {
  decoder: 'matching',
  processor: 'qvm',
  maxShots: '100000',
  maxErrors: '1000',
  relativeError: '',
  seed: '',
  name: '',
};

/** One task a line. */
const json = (tasks: readonly object[]) =>
  `[\n${tasks.map((task) => `  ${JSON.stringify(task)}`).join(',\n')}\n]`;

const DISTANCES = [3, 5, 7] as const;
const RATES = [0.02, 0.05, 0.1, 0.2] as const;

export const EXAMPLES: readonly [ExperimentExample, ...ExperimentExample[]] = [
  {
    name: 'Threshold',
    about:
      'Repetition codes of three distances under four rates of bit flips. Below the threshold a longer code has fewer logical errors.',
    draft: {
      ...USUAL,
      text: json(
        DISTANCES.flatMap((d) =>
          RATES.map((p) => ({ stim: repetitionCode(d, p), metadata: { d, p } })),
        ),
      ),
      name: 'threshold of repetition codes',
    },
  },
  {
    name: 'Decoders',
    about: 'One code under four rates, decoded in three ways.',
    draft: {
      ...USUAL,
      text: json(
        (['matching', 'union_find', 'none'] as const).flatMap((decoder) =>
          RATES.map((p) => ({ stim: repetitionCode(5, p), decoder, metadata: { d: 5, p } })),
        ),
      ),
      name: 'three decoders',
    },
  },
  {
    name: 'One circuit',
    about: 'A repetition code of distance 3, as a text in Stim’s format.',
    draft: { ...USUAL, text: repetitionCode(3, 0.05) },
  },
];
