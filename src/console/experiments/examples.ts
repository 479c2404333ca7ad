/** Experiments to start from. */
import type { ExperimentDraft } from './draft.ts';
import { FIRST_GENERATOR, generatedTasks, tasksText } from './generated-tasks.ts';

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

/** Repetition codes with errors of data qubits and measurements. */
const repetitionCodes = (distances: string, rates = '0.02, 0.05, 0.1, 0.2') =>
  generatedTasks({
    ...FIRST_GENERATOR,
    ...{ code: 'repetition_code', task: 'memory', distances, rates },
    errors: ['beforeRoundDataDepolarization', 'beforeMeasureFlipProbability'],
  });

export const EXAMPLES: readonly [ExperimentExample, ...ExperimentExample[]] = [
  {
    name: 'Threshold',
    about:
      'Repetition codes of three distances under four error rates. Below the threshold a longer code has fewer logical errors.',
    draft: {
      ...USUAL,
      text: tasksText(repetitionCodes('3, 5, 7')),
      name: 'threshold of repetition codes',
    },
  },
  {
    name: 'Decoders',
    about: 'One code under four rates, decoded in three ways.',
    draft: {
      ...USUAL,
      text: tasksText(
        (['matching', 'union_find', 'none'] as const).flatMap((decoder) =>
          repetitionCodes('5').map((task) => ({ ...task, decoder })),
        ),
      ),
      name: 'three decoders',
    },
  },
  {
    name: 'One circuit',
    about: 'A repetition code of distance 3, as a text in Stim’s format.',
    draft: {
      ...USUAL,
      text: repetitionCodes('3', '0.05')
        .map(({ stim }) => stim)
        .join(''),
    },
  },
];
