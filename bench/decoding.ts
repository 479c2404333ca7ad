/**
 * Decoders on memory experiments of the rotated surface code with noise after every gate, beside PyMatching where
 * PYMATCHING_PYTHON names an interpreter that has it and Stim. All use one thread.
 *
 * First the weights of matchings are compared with those that an exhaustive search finds. Then the decoders and
 * PyMatching take turns with the same shots of the same model, in packed bits; PyMatching's time is that of its
 * `decode_batch` within its process. The least time of several rounds counts, because the machine may be shared.
 */
import { compileStabilizer } from '../src/compiler/clifford/compile-stabilizer.ts';
import { detectorErrorModel, flatErrors } from '../src/compiler/clifford/error-model.ts';
import { printErrorModel } from '../src/compiler/clifford/print-error-model.ts';
import { detectorsIn, partsOf } from '../src/compiler/clifford/symptoms.ts';
import type { Decoder, DecodingModel } from '../src/decoding/decoder.ts';
import {
  decoderOf,
  modelOfEdges,
  oddOnes,
  predict,
  type RandomEdge,
} from '../test/support/decoding-models.ts';
import { distances, leastSum, weightOf } from '../test/support/least-matching.ts';
import { RandomStream } from '../test/support/random-stream.ts';
import { type Measurement, report } from './harness.ts';
import { type PythonPeer, pythonPeer } from './peers/python-peer.ts';
import { surfaceCodeMemory, surfaceCodeParities } from './surface-code.ts';

/** Experiments, of as many rounds as the distance. */
const CASES = [
  { distance: 5, probability: 0.003, numShots: 100_000 },
  { distance: 11, probability: 0.003, numShots: 20_000 },
  { distance: 11, probability: 0.01, numShots: 4_000 },
  { distance: 21, probability: 0.003, numShots: 2_000 },
] as const;
const NAMES = ['matching', 'union_find'] as const;
const ROUNDS = 7;
/** Most multiple of PyMatching's time. */
const GOAL = 1;
/** Shots of the search, and most events of them. */
const [SEARCHED, MOST_SEARCHED] = [300, 9];

/** Shots in packed bits. */
interface Shots {
  readonly events: Uint8Array;
  readonly observables: Uint8Array;
}

function modelOf(distance: number, probability: number): DecodingModel {
  const program = compileStabilizer(surfaceCodeMemory(distance, distance, probability));
  if ('kind' in program) throw new Error(program.operation);
  const model = detectorErrorModel(program, surfaceCodeParities(distance, distance), {
    decomposeErrors: true,
    approximateDisjointErrors: false,
    ignoreDecompositionFailures: false,
    blockDecompositionFromIntroducingRemnantEdges: false,
    allowGaugeDetectors: false,
  });
  if ('kind' in model) throw new Error(JSON.stringify(model));
  return flatErrors(model)!;
}

/** Draws shots: of each error, how many shots pass until it happens again. */
function drawnShots(
  { numDetectors, numObservables, errors }: DecodingModel,
  numShots: number,
): Shots {
  const stream = new RandomStream(1);
  const [bytes, observableBytes] = [numDetectors, numObservables].map((n) => Math.ceil(n / 8));
  const events = new Uint8Array(bytes! * numShots);
  const observables = new Uint8Array(observableBytes! * numShots);
  for (const { symptoms, probability } of errors) {
    const flipped = partsOf(symptoms).flat();
    const pass = () => Math.floor(Math.log(1 - stream.uniform()) / Math.log(1 - probability));
    for (let shot = pass(); shot < numShots; shot += 1 + pass()) {
      for (const each of flipped) {
        const isEvent = each < numDetectors;
        const bit = isEvent ? each : each - numDetectors;
        const [to, length] = isEvent ? [events, bytes!] : [observables, observableBytes!];
        to[length * shot + (bit >> 3)]! ^= 1 << (bit & 7);
      }
    }
  }
  return { events, observables };
}

/** The edges of a model, merged. */
function edgesOf({ numDetectors, errors }: DecodingModel): readonly RandomEdge[] {
  const edges = new Map<string, RandomEdge>();
  for (const { symptoms, probability } of errors) {
    for (const part of partsOf(symptoms)) {
      const detectors = part.slice(0, detectorsIn(part, numDetectors));
      const before = edges.get(detectors.join())?.probability ?? 0;
      const merged = before * (1 - probability) + probability * (1 - before);
      edges.set(detectors.join(), { detectors, probability: merged });
    }
  }
  return [...edges.values()];
}

/** Compares weights of matchings on the code of distance 3; predictions name the edges, as each has an observable. */
function verify(): void {
  const model = modelOf(3, 0.01);
  const edges = edgesOf(model);
  const named = modelOfEdges(model.numDetectors, edges);
  const decoder = decoderOf('matching', named);
  const between = distances(model.numDetectors, edges);
  const { events } = drawnShots(model, SEARCHED);
  const bytes = events.length / SEARCHED;
  for (let shot = 0; shot < SEARCHED; shot++) {
    const flipped = Array.from({ length: model.numDetectors }, (_, i) => i).filter(
      (i) => ((events[bytes * shot + (i >> 3)]! >> (i & 7)) & 1) === 1,
    );
    if (flipped.length > MOST_SEARCHED) continue;
    const found = predict(decoder, named, flipped).map((edge) => edges[edge]!);
    const sum = found.reduce((all, edge) => all + weightOf(edge), 0);
    const isSame = oddOnes(found.map(({ detectors }) => detectors)).join() === flipped.join();
    if (!isSame || Math.abs(sum - leastSum(between, flipped)) > 1e-4) {
      throw new Error(
        `The matching of ${flipped.join(', ')} weighs ${sum}, which is not the least`,
      );
    }
  }
}

async function measureCase(
  { distance, probability, numShots }: (typeof CASES)[number],
  pymatching: PythonPeer | undefined,
): Promise<readonly Measurement[]> {
  const model = modelOf(distance, probability);
  const { events, observables } = drawnShots(model, numShots);
  await pymatching?.ask({
    model: printErrorModel({ ...model, parts: [{ errors: model.errors, declared: [] }] }),
  });
  const hex = Buffer.from(events).toString('hex');
  const decoders = NAMES.map((name) => ({ name, decoder: decoderOf(name, model) }));
  const times = new Map<string, number[]>(NAMES.map((name) => [name, []]));
  const predicted = new Map<string, Uint8Array>();
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, decoder } of decoders) {
      const [ms, predictions] = timed(decoder, events, numShots);
      times.get(name)!.push(ms);
      predicted.set(name, predictions);
    }
    if (pymatching === undefined) continue;
    const { ms, predictions } = await pymatching.ask({ events: hex });
    theirs.push(ms);
    predicted.set(pymatching.name, new Uint8Array(Buffer.from(predictions, 'hex')));
  }
  const of = `surface code, distance ${distance}, ${100 * probability} %`;
  const all =
    pymatching === undefined ? [...times] : [...times, [pymatching.name, theirs] as const];
  const rows = all.flatMap(([name, ms]): Measurement[] => [
    {
      name: `${of}: ${name}, time of a shot`,
      value: (1000 * Math.min(...ms)) / numShots,
      unit: 'µs',
      spread: [(1000 * Math.min(...ms)) / numShots, (1000 * Math.max(...ms)) / numShots],
    },
    {
      name: `${of}: ${name}, logical errors`,
      value: numDifferent(predicted.get(name)!, observables),
      unit: `of ${numShots}`,
    },
  ]);
  if (pymatching === undefined) return rows;
  return [
    ...rows,
    {
      name: `${of}: matching over ${pymatching.name}`,
      value: Math.min(...times.get('matching')!) / Math.min(...theirs),
      unit: '×',
      goal: GOAL,
    },
    {
      name: `${of}: predictions that differ from those of ${pymatching.name}`,
      value: numDifferent(predicted.get('matching')!, predicted.get(pymatching.name)!),
      unit: `of ${numShots}`,
    },
  ];
}

function timed(decoder: Decoder, events: Uint8Array, numShots: number) {
  // The model has one observable.
  const predictions = new Uint8Array(numShots);
  const started = performance.now();
  decoder.decode(events, numShots, predictions);
  return [performance.now() - started, predictions] as const;
}

const numDifferent = (a: Uint8Array, b: Uint8Array) =>
  a.reduce((count, byte, i) => count + (byte === b[i] ? 0 : 1), 0);

/** Writes `bench/results/decoding.json`. */
export async function benchDecoding(): Promise<void> {
  verify();
  const python = process.env['PYMATCHING_PYTHON'];
  await using pymatching =
    python === undefined ? undefined : await pythonPeer(python, 'decoding-peer.py');
  const measurements: Measurement[] = [];
  for (const one of CASES) measurements.push(...(await measureCase(one, pymatching)));
  report('decoding', measurements);
}
