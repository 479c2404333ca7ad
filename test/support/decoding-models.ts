/** Error models for tests of decoders, and shots in the form that decoders take. */
import { type ErrorMechanism, SEPARATOR } from '../../src/compiler/clifford/symptoms.ts';
import type { Decoder, DecodingModel } from '../../src/decoding/decoder.ts';
import { type DecoderName, openDecoder } from '../../src/decoding/open-decoder.ts';
import type { RandomStream } from './random-stream.ts';

/** An edge of a random graph: one detector or two, and the probability of its error. */
export interface RandomEdge {
  readonly detectors: readonly number[];
  readonly probability: number;
}

/** A random graph without parallel edges; with a boundary, each edge goes there with that probability. */
export function randomEdges(
  stream: RandomStream,
  numDetectors: number,
  numEdges: number,
  { toBoundary, most }: { readonly toBoundary: number; readonly most: number },
): readonly RandomEdge[] {
  const edges = new Map<string, RandomEdge>();
  for (let i = 0; i < numEdges; i++) {
    const isToBoundary = stream.uniform() < toBoundary;
    const detectors = stream.distinct(isToBoundary ? 1 : 2, numDetectors).toSorted((a, b) => a - b);
    edges.set(detectors.join(), { detectors, probability: 0.001 + most * stream.uniform() });
  }
  return [...edges.values()];
}

/** The model in which every edge flips an observable of its own, so that a prediction names the edges. */
export function modelOfEdges(numDetectors: number, edges: readonly RandomEdge[]): DecodingModel {
  return {
    numDetectors,
    numObservables: edges.length,
    errors: edges.map(({ detectors, probability }, i) => ({
      symptoms: [...detectors, numDetectors + i],
      probability,
    })),
  };
}

/** Errors of a text: `0.1 0 3 ^ 5; 0.2 4`. */
export function errorsOf(text: string): readonly ErrorMechanism[] {
  return text.split('; ').map((error) => {
    const [probability, ...symptoms] = error.split(' ');
    return {
      probability: Number(probability),
      symptoms: symptoms.map((each) => (each === '^' ? SEPARATOR : Number(each))),
    };
  });
}

/** Opens a decoder of a model that has one. */
export function decoderOf(name: DecoderName, model: DecodingModel): Decoder {
  const decoder = openDecoder(name, model);
  if ('reason' in decoder) throw new Error(decoder.reason);
  return decoder;
}

/** Predicted observables of one shot, by number. */
export function predict(
  decoder: Decoder,
  { numDetectors, numObservables }: DecodingModel,
  events: readonly number[],
): readonly number[] {
  const predictions = new Uint8Array(Math.ceil(numObservables / 8));
  decoder.decode(packed(numDetectors, events), 1, predictions);
  return Array.from({ length: numObservables }, (_, i) => i).filter(
    (i) => ((predictions[i >> 3]! >> (i & 7)) & 1) === 1,
  );
}

/** Bits of one shot. */
export function packed(numBits: number, ones: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(numBits / 8));
  for (const bit of ones) bytes[bit >> 3]! |= 1 << (bit & 7);
  return bytes;
}

/** Numbers that an odd number of the lists has, ascending. */
export function oddOnes(lists: readonly (readonly number[])[]): readonly number[] {
  const odd = new Set<number>();
  for (const each of lists.flat()) if (!odd.delete(each)) odd.add(each);
  return [...odd].toSorted((a, b) => a - b);
}
