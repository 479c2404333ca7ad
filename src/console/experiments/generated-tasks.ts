/** Tasks of an experiment that the page generates: memory experiments of a code for some distances and error rates. */
import { GENERATED_CODES, generateStim, NO_NOISE } from '../live-state/generated-circuits.ts';
import { type Fault, FieldError } from '../shell/faults.ts';

/** Kinds of errors, with the option of `qcs gen` that each is. */
export const ERRORS = [
  ['afterCliffordDepolarization', 'Depolarizing after each Clifford gate'],
  ['beforeRoundDataDepolarization', 'Depolarizing of data qubits before each round'],
  ['beforeMeasureFlipProbability', 'Flips before each measurement'],
  ['afterResetFlipProbability', 'Flips after each reset'],
] as const;
type ErrorKind = (typeof ERRORS)[number][0];

/** What is generated, as a visitor enters it. */
export interface GeneratorDraft {
  readonly code: string;
  readonly task: string;
  /** Numbers with commas or spaces between them, as the rates. */
  readonly distances: string;
  /** A number of rounds, or `d` for the distance or `3d` for three times it. */
  readonly rounds: string;
  readonly rates: string;
  /** Kinds of errors that have the rate; the others do not happen. */
  readonly errors: readonly ErrorKind[];
}

/** One task. */
export interface GeneratedTask {
  readonly stim: string;
  readonly metadata: { readonly d: number; readonly r: number; readonly p: number };
}

export const FIRST_GENERATOR: GeneratorDraft = {
  code: 'surface_code',
  task: 'rotated_memory_z',
  distances: '3, 5, 7',
  rounds: 'd',
  rates: '0.002, 0.004, 0.008, 0.016',
  errors: ERRORS.map(([kind]) => kind),
};

/** Largest distance, and characters of all circuits, that a page writes. */
const MAX_DISTANCE = 51;
const MAX_CHARACTERS = 4_000_000;

/** Tasks of a code, by their names. */
export function tasksOfCode(code: string): readonly string[] {
  return Object.keys(GENERATED_CODES[code] ?? {});
}

/** A code with its first task in a draft. */
export function withCode(draft: GeneratorDraft, code: string): GeneratorDraft {
  return { ...draft, code, task: tasksOfCode(code)[0] ?? '' };
}

export const CODES: readonly string[] = Object.keys(GENERATED_CODES);

/**
 * A task for each distance and rate.
 *
 * @throws {FieldError} with the name of each field that is wrong.
 */
export function generatedTasks(draft: GeneratorDraft): readonly GeneratedTask[] {
  const { code, task, errors } = draft;
  const faults: Fault[] = [];
  const numbers = (path: 'distances' | 'rates', isRight: (n: number) => boolean, what: string) => {
    const words = draft[path].split(/[\s,]+/).filter((word) => word !== '');
    const found = words.map(Number);
    if (found.length === 0 || !found.every(isRight)) faults.push({ path, message: what });
    return found;
  };
  const isDistance = (n: number) => Number.isSafeInteger(n) && n >= 1 && n <= MAX_DISTANCE;
  const most = `Whole numbers up to ${MAX_DISTANCE}; qcs gen writes larger circuits.`;
  const distances = numbers('distances', isDistance, most);
  const isRate = (n: number) => n >= 0 && n <= 0.5;
  const rates = numbers('rates', isRate, 'Probabilities from 0 to 0.5.');
  const [, factor = '', times = ''] = /^\s*(\d*)\s*(d?)\s*$/.exec(draft.rounds) ?? [];
  if (factor === '' && times === '') {
    faults.push({ path: 'rounds', message: 'A number of rounds, or d for the distance, or 3d.' });
  }
  if (faults.length > 0) throw new FieldError(faults);
  const tasks: GeneratedTask[] = [];
  let numCharacters = 0;
  for (const d of distances) {
    const r = Number(factor || 1) * (times === '' ? 1 : d);
    for (const p of rates) {
      const rate = (kind: ErrorKind) => (errors.includes(kind) ? p : 0);
      const made = generateStim({
        ...{ code, task, distance: d, rounds: r },
        noise: {
          ...NO_NOISE,
          afterCliffordDepolarization: rate('afterCliffordDepolarization'),
          beforeRoundDataDepolarization: rate('beforeRoundDataDepolarization'),
          beforeMeasureFlipProbability: rate('beforeMeasureFlipProbability'),
          afterResetFlipProbability: rate('afterResetFlipProbability'),
        },
      });
      if ('problem' in made) {
        const path = made.problem.includes('distance') ? 'distances' : 'rounds';
        throw new FieldError([{ path, message: made.problem }]);
      }
      numCharacters += made.text.length;
      if (numCharacters > MAX_CHARACTERS) {
        const message = `The circuits have more than ${MAX_CHARACTERS} characters together. Send them by the API.`;
        throw new FieldError([{ path: 'distances', message }]);
      }
      tasks.push({ stim: made.text, metadata: { d, r, p } });
    }
  }
  return tasks;
}

/** Text of tasks, one a line. */
export function tasksText(tasks: readonly object[]): string {
  return `[\n${tasks.map((task) => `  ${JSON.stringify(task)}`).join(',\n')}\n]`;
}
