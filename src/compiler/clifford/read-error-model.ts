/**
 * Reads a detector error model in Stim's format. Blocks are unrolled; probabilities, coordinates and tags are read over.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, for the format.
 */
import {
  type ErrorMechanism,
  type IndependentErrors,
  joined,
  NONE,
  type Symptoms,
  sum,
} from './symptoms.ts';

/** A fault of a text: a sentence, and its line. */
export interface ErrorModelFault {
  readonly line: number;
  readonly problem: string;
}

/** Errors of a model, with all blocks unrolled. */
const MAX_ERRORS = 10_000_000;

/** A line of a text; one with a `body` is a block, which is repeated. */
interface Line {
  readonly number: number;
  readonly name: string;
  readonly argument: number | undefined;
  readonly targets: readonly string[];
  readonly body?: Line[];
}

/** Reads a text. */
export function readErrorModel(text: string): IndependentErrors | ErrorModelFault {
  try {
    const reader = new Reader();
    reader.run(linesOf(text));
    return reader.model();
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
}

class Fault extends Error {
  readonly fault: ErrorModelFault;
  constructor(line: number, problem: string) {
    super(problem);
    this.fault = { line, problem };
  }
}

const LINE =
  /^\s*([a-z_]+)\s*(?:\[[^\]]*\])?\s*(?:\(([^)]*)\))?((?:\s+(?:[DL]?\d+|\^))*)\s*(\{)?\s*$/i;

function linesOf(text: string): readonly Line[] {
  const top: Line[] = [];
  const open: Line[][] = [top];
  for (const [i, whole] of text.split('\n').entries()) {
    const line = whole.replace(/#.*$/, '').trim();
    const number = i + 1;
    if (line === '') continue;
    if (line === '}') {
      if (open.length === 1) throw new Fault(number, 'There is no block for this } to end.');
      open.pop();
      continue;
    }
    const [, name, args, targets = '', brace] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Fault(number, 'This is no line of a detector error model.');
    const read = {
      number,
      name: name.toLowerCase(),
      argument: args === undefined ? undefined : Number.parseFloat(args),
      targets: targets.trim() === '' ? [] : targets.trim().split(/\s+/),
    };
    if ((read.name === 'repeat') !== (brace !== undefined)) {
      throw new Fault(number, 'A block begins with repeat, a number, and {.');
    }
    const body: Line[] | undefined = brace === undefined ? undefined : [];
    open.at(-1)!.push(body === undefined ? read : { ...read, body });
    if (body !== undefined) open.push(body);
  }
  if (open.length > 1)
    throw new Fault(open.at(-2)!.at(-1)!.number, 'This block has no } at its end.');
  return top;
}

/** Numbers of an error: of its detectors, and of its observables. */
interface Part {
  readonly detectors: Symptoms;
  readonly observables: Symptoms;
}

class Reader {
  readonly #errors: { readonly parts: readonly Part[]; readonly probability: number }[] = [];
  #numDetectors = 0;
  #numObservables = 0;
  #shift = 0;

  run(lines: readonly Line[]): void {
    for (const line of lines) {
      switch (line.name) {
        case 'error':
          this.#addError(line);
          break;
        case 'detector':
        case 'logical_observable':
          for (const target of line.targets) this.#numberOf(target, line);
          break;
        case 'shift_detectors':
          this.#shift += Number(line.targets[0] ?? 0);
          break;
        case 'repeat':
          for (let round = 0; round < Number(line.targets[0] ?? 0); round++) this.run(line.body!);
          break;
        default:
          throw new Fault(line.number, `There is no instruction ${line.name.slice(0, 40)}.`);
      }
    }
  }

  model(): IndependentErrors {
    const [numDetectors, numObservables] = [this.#numDetectors, this.#numObservables];
    const errors = this.#errors.map(({ parts, probability }): ErrorMechanism => {
      const symptoms = parts.map(({ detectors, observables }) => [
        ...detectors,
        ...observables.map((each) => numDetectors + each),
      ]);
      return { symptoms: joined(symptoms), probability };
    });
    return { numDetectors, numObservables, errors };
  }

  #addError(line: Line): void {
    const { argument: probability = Number.NaN, targets, number } = line;
    if (!(probability >= 0 && probability <= 1)) {
      throw new Fault(number, 'An error has a probability from 0 to 1 in parentheses.');
    }
    if (this.#errors.length >= MAX_ERRORS) {
      throw new Fault(number, `More than ${MAX_ERRORS.toLocaleString('en')} errors.`);
    }
    const parts = targets
      .join(' ')
      .split('^')
      .map((part): { detectors: Symptoms; observables: Symptoms } => {
        const found = { detectors: NONE, observables: NONE };
        for (const target of part.split(' ')) {
          if (target === '') continue;
          const list = target.startsWith('D') ? 'detectors' : 'observables';
          found[list] = sum(found[list], [this.#numberOf(target, line)]);
        }
        return found;
      });
    this.#errors.push({ parts, probability });
  }

  /** The number of a target, which is counted. */
  #numberOf(target: string, { number }: Line): number {
    const [letter, index] = [target[0]!.toUpperCase(), Number(target.slice(1))];
    if (letter === 'D') {
      this.#numDetectors = Math.max(this.#numDetectors, this.#shift + index + 1);
      return this.#shift + index;
    }
    if (letter !== 'L')
      throw new Fault(number, `${target} is neither a detector nor an observable.`);
    this.#numObservables = Math.max(this.#numObservables, index + 1);
    return index;
  }
}
