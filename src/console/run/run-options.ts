/** Options of a run: processors that take the circuit, shots, seed, noise; and the request that follows. */
import type { CircuitSubmissionInput, NamedNoiseModel, Processor } from '../../client/api-types.ts';
import { availabilityInWords } from '../fleet/processor-words.ts';
import { grouped } from '../numbers.ts';

/** The circuit of a run, as operations, as OpenQASM text or as a text in Stim's format. */
export type Submission =
  | {
      readonly circuit: NonNullable<CircuitSubmissionInput['circuit']>;
      /** Values of the inputs of the circuit. */
      readonly inputs?: Readonly<Record<string, number>>;
    }
  | {
      readonly qasm: string;
      /** Values of the inputs that the text declares. */
      readonly inputs?: Readonly<Record<string, number | boolean>>;
    }
  | { readonly stim: string };

/** Choices of a visitor, as typed. */
export interface Choices {
  readonly processor: string;
  readonly shots: string;
  /** Empty: the service draws one. */
  readonly seed: string;
  /** Name of a noise model; empty for the processor's own noise, `none` for no noise at all. */
  readonly noise: string;
}

/** Choices at first; the processor is the first one that takes the circuit. */
export const FIRST_CHOICES: Choices = { processor: '', shots: '1000', seed: '', noise: '' };

/** A processor as an option of a run. */
export interface ProcessorOption {
  readonly processor: Processor;
  /** Why it cannot take the circuit; undefined if it can. */
  readonly refusal: string | undefined;
  /** Whether it takes such circuits while it is available. */
  readonly isAble: boolean;
  /** Its state in sentences. */
  readonly words: string;
}

/** All processors: whether each takes a circuit of `numQubits` qubits with these choices, and otherwise why not. */
export function processorOptionsOf(
  processors: readonly Processor[],
  submission: Submission,
  numQubits: number,
  choices: Choices,
): readonly ProcessorOption[] {
  return processors.map((processor) => ({
    processor,
    refusal: refusalOf(processor, submission, numQubits, choices),
    isAble:
      refusalOf({ ...processor, available: true }, submission, numQubits, choices) === undefined,
    words: availabilityInWords(processor),
  }));
}

function refusalOf(
  processor: Processor,
  submission: Submission,
  numQubits: number,
  choices: Choices,
): string | undefined {
  const { available, reason, qubits, max_used_qubits: maxUsed, methods = [] } = processor;
  if (!available) return reason ?? 'It is not available.';
  if (needsDevice(processor))
    return 'It needs the description of a device, so it is used by the API.';
  const isStim = 'stim' in submission;
  if (isStim && (processor.family === 'superconducting' || processor.family === 'emulator')) {
    return 'A text in Stim’s format runs on simulators.';
  }
  if (
    isStim &&
    hasParities(submission.stim) &&
    !methods.some(({ method }) => method === 'stabilizer')
  ) {
    return 'It gives no detection events.';
  }
  const byMethod = methods.map(({ max_qubits: most }) => most);
  const most = maxUsed === undefined ? Math.max(qubits, ...byMethod) : Math.min(qubits, maxUsed);
  if (numQubits > most) {
    return `The circuit has ${grouped(numQubits)} qubits, and it takes at most ${grouped(most)} now.`;
  }
  const shots = Number(choices.shots);
  if (shots > processor.max_shots) return `It takes at most ${grouped(processor.max_shots)} shots.`;
  if (isStim || choices.noise === '') return undefined;
  if (choices.noise === 'none') {
    return hasOwnNoise(processor) || processor.family !== 'superconducting'
      ? undefined
      : 'A device cannot run without its errors.';
  }
  const noisy = Math.max(0, ...methods.map((each) => each.max_noisy_qubits));
  if (noisy === 0) return 'It takes no noise model.';
  return numQubits > noisy ? `With noise it takes at most ${noisy} qubits.` : undefined;
}

/** The emulator of devices that callers describe. */
function needsDevice({ family, coupling_map: couplers }: Processor): boolean {
  return family === 'emulator' && couplers === undefined;
}

/** Whether its results have noise without a model in the request. */
export function hasOwnNoise({ family, noise }: Processor): boolean {
  return family === 'emulator' && noise !== undefined;
}

/** The processor that is chosen, or else the first that takes the circuit; undefined if none does. */
export function chosenOption(
  options: readonly ProcessorOption[],
  id: string,
): ProcessorOption | undefined {
  return (
    options.find(({ processor }) => processor.id === id) ??
    options.find(({ refusal }) => refusal === undefined)
  );
}

/**
 * Why the default is not the first processor that takes such circuits: that is not available now. Undefined if it is the
 * first, or if the visitor has chosen.
 */
export function movedDefault(
  options: readonly ProcessorOption[],
  { processor: id }: Choices,
): string | undefined {
  if (options.some(({ processor }) => processor.id === id)) return undefined;
  const first = options.find(({ refusal, isAble }) => refusal === undefined || isAble);
  const instead = chosenOption(options, id);
  if (first?.refusal === undefined || instead === undefined) return undefined;
  return `${first.processor.name} would be the default and is not available: ${first.refusal} Runs go to ${instead.processor.name}.`;
}

/** The first sentence of a description. */
export function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** Meaning of a choice of noise, in sentences. */
export function noiseInWords(
  noise: string,
  models: readonly NamedNoiseModel[],
  processor: Processor | undefined,
): string {
  const isNoisy = processor !== undefined && hasOwnNoise(processor);
  if (noise === '') {
    if (processor?.family === 'superconducting') return 'The device has its own errors.';
    return isNoisy
      ? 'The emulated device has its own noise, a model of its published medians.'
      : 'Results are those of a device without errors.';
  }
  if (noise === 'none') return 'Results are those of a device without errors.';
  const model = models.find(({ id }) => id === noise);
  const instead = isNoisy ? ' It replaces the noise of the emulated device.' : '';
  return model === undefined ? '' : `${firstSentence(model.description)}${instead} Modelled.`;
}

/** Faults of typed values, by field. */
export function faultsOf(choices: Choices): { readonly shots: string[]; readonly seed: string[] } {
  const shots = Number(choices.shots);
  const seed = Number(choices.seed);
  const isCount = /^\d+$/.test(choices.shots) && shots >= 1;
  const isSeed = choices.seed === '' || (/^\d+$/.test(choices.seed) && Number.isSafeInteger(seed));
  return {
    shots: isCount ? [] : ['A whole number of 1 or more.'],
    seed: isSeed ? [] : ['A whole number of 0 or more, or nothing.'],
  };
}

/** Body of the request. */
export function requestOf(
  submission: Submission,
  numQubits: number,
  processor: string,
  { shots, seed, noise }: Choices,
): CircuitSubmissionInput {
  return {
    ...submission,
    // A text declares its qubits itself.
    ...('circuit' in submission && numQubits > 0 && { qubits: numQubits }),
    target_processor: processor,
    shots: Number(shots),
    ...(seed !== '' && { seed: Number(seed) }),
    // A text in Stim's format has its own noise.
    ...('stim' in submission
      ? hasParities(submission.stim) && { return: ['detection_events'] }
      : noise !== '' && { noise: noise === 'none' ? {} : { model: noise } }),
  };
}

/** Whether a text in Stim's format has detectors or observables. */
function hasParities(stim: string): boolean {
  return /^\s*(?:DETECTOR|OBSERVABLE_INCLUDE)\b/im.test(stim);
}

/** Whether a circuit measures anything. The service measures all qubits of one that does not. */
export function hasMeasurement(submission: Submission): boolean {
  if ('circuit' in submission) {
    return submission.circuit.some(({ gate }) => /^(m|measure)$/i.test(gate));
  }
  if ('stim' in submission) return /^\s*(?:M|HERALD)/im.test(submission.stim);
  const text = submission.qasm.replaceAll(/\/\/[^\n]*|\/\*.*?\*\//gs, '');
  return /\bmeasure\b/.test(text);
}
