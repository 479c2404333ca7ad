/**
 * Trains a quantum classifier of your own over HTTP. Needs only Node 24:
 *
 *     QCS_API_KEY=qcs_… node examples/train-over-http.ts [--steps 45] [--seed 1]
 *
 * `QCS_URL` is the address of the service, by default http://127.0.0.1:8080. The circuit runs there and
 * returns only expectation values with shot noise, as hardware does. The parameters are therefore trained
 * with SPSA: two measurements per step, each a whole batch, for any number of parameters. The default of 45
 * steps takes 91 requests, within the rate limit of a Standard key; if the limit is reached, the program
 * waits. Everything is seeded: the same seed gives the same output.
 *
 * The rows are Fisher's irises versicolor and virginica (data/iris-pair.json names the source), 60 to train on
 * and 40 held out. The last lines are the accuracy on those 40 and the `parameters` to classify with.
 *
 * @see Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
 *   approximation" (1992); for the gain sequences "Implementation of the simultaneous perturbation
 *   algorithm for stochastic optimization" (1998).
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';

interface Iris {
  readonly versicolor: readonly (readonly number[])[];
  readonly virginica: readonly (readonly number[])[];
}

/** Flowers as the circuit takes them: features in [−1, 1]; +1 stands for virginica. */
interface Flowers {
  readonly inputs: readonly (readonly number[])[];
  readonly signs: readonly (1 | -1)[];
}

/** Fields of an answer that are read. */
interface InferenceAnswer {
  readonly data: { readonly results: readonly { readonly expectation: number }[] };
}

const TRAINED_PER_CLASS = 30;
/** Shots of each row in training; the held-out rows take more. */
const SHOTS = 512;
const HELD_OUT_SHOTS = 4096;
/** Slope of the logistic loss, for expectation values end at ±1. */
const SLOPE = 3;
/** Seeds of one request are its first and those that follow it, one a row. */
const SEEDS_PER_REQUEST = 256;

/** Gains of step k: a / (k + 1 + A)^0.602 for the step, c / (k + 1)^0.101 for the perturbation. */
const GAINS = { a: 2, A: 10, c: 0.5 };

/**
 * One layer over four qubits takes three numbers per qubit: an RX angle, a weight and a bias. While all RX
 * are 0 the phases of the qubits add up: ⟨Z₀⟩ = cos(Σ weight·x + Σ bias). Only the weights and one bias are
 * trained: further biases would have the same effect, and RX angles would mix the phases.
 */
const TRAINED = [1, 2, 4, 7, 10];
/** The middle of the slope of cos(bias). */
const START = [0, 0, Math.PI / 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '45' },
    seed: { type: 'string', default: '1' },
  },
});
const numSteps = Number(options.steps);
const seed = Number(options.seed);
const service = process.env['QCS_URL'] ?? 'http://127.0.0.1:8080';
const key = process.env['QCS_API_KEY'];
if (key === undefined || !Number.isInteger(numSteps) || !Number.isInteger(seed) || seed < 0) {
  process.stderr.write(
    'usage: QCS_API_KEY=qcs_… node examples/train-over-http.ts [--steps 45] [--seed 1]\n',
  );
  process.exit(2);
}

const random = randomNumbers(seed);
const { train, heldOut } = splitFlowers();
let theta: readonly number[] = START;
for (let k = 0; k < numSteps; k++) theta = await step(theta, k);

const found = await expectations(heldOut, theta, HELD_OUT_SHOTS, requestSeed(numSteps));
print(`held-out accuracy ${accuracy(heldOut, found).toFixed(3)} (${found.length} flowers)`);
print(`parameters ${JSON.stringify({ theta })}`);

/** One step of SPSA: from the difference of two losses, the slope along one random direction. */
async function step(from: readonly number[], k: number): Promise<readonly number[]> {
  const gain = GAINS.a / (k + 1 + GAINS.A) ** 0.602;
  const perturbation = GAINS.c / (k + 1) ** 0.101;
  const signs = from.map((_, j) => (TRAINED.includes(j) ? (random() < 0.5 ? -1 : 1) : 0));
  const moved = (by: number) => from.map((angle, j) => angle + by * (signs[j] ?? 0));
  // Both measurements use the same seeds, so that part of the shot noise cancels.
  const plus = await expectations(train, moved(perturbation), SHOTS, requestSeed(k));
  const minus = await expectations(train, moved(-perturbation), SHOTS, requestSeed(k));
  const [lossPlus, lossMinus] = [loss(train, plus), loss(train, minus)];
  const right = (accuracy(train, plus) + accuracy(train, minus)) / 2;
  print(
    `step ${String(k + 1).padStart(3)}  loss ${((lossPlus + lossMinus) / 2).toFixed(3)}  accuracy ${right.toFixed(3)}`,
  );
  return moved((-gain * (lossPlus - lossMinus)) / (2 * perturbation));
}

/** ⟨Z₀⟩ of each flower as the service measures it, in one request. */
async function expectations(
  { inputs }: Flowers,
  withTheta: readonly number[],
  shots: number,
  firstSeed: number,
): Promise<readonly number[]> {
  const body = { inputs, parameters: { theta: withTheta, shots, seed: firstSeed } };
  const response = await post(`${service}/api/v1/models/qnn-hybrid/inference`, body);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const answer = (await response.json()) as InferenceAnswer;
  return answer.data.results.map(({ expectation }) => expectation);
}

/** Sends a request, again after a 429, and waits where it was the last of its window. */
async function post(url: string, body: object): Promise<Response> {
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status === 429) {
      await pause(Number(response.headers.get('retry-after') ?? 60));
      continue;
    }
    // RateLimit: "standard";r=0;t=42 says that no request is left for 42 seconds.
    const budget = /;r=(\d+);t=(\d+)/.exec(response.headers.get('ratelimit') ?? '');
    if (budget?.[1] === '0') await pause(Number(budget[2]));
    return response;
  }
}

async function pause(seconds: number): Promise<void> {
  process.stderr.write(`The budget of requests is spent; waiting ${seconds} s.\n`);
  await wait(1000 * seconds);
}

/** Mean logistic loss ln(1 + e^(−y·slope·E)). */
function loss({ signs }: Flowers, measured: readonly number[]): number {
  const losses = measured.map((value, i) => Math.log1p(Math.exp(-SLOPE * (signs[i] ?? 0) * value)));
  return losses.reduce((sum, value) => sum + value, 0) / losses.length;
}

function accuracy({ signs }: Flowers, measured: readonly number[]): number {
  const right = measured.filter((value, i) => (value > 0 ? 1 : -1) === signs[i]);
  return right.length / measured.length;
}

/** Shuffles each species, holds some of it out, and scales by the range of the rest. */
function splitFlowers(): { readonly train: Flowers; readonly heldOut: Flowers } {
  const file = new URL('data/iris-pair.json', import.meta.url);
  const { versicolor, virginica } = JSON.parse(readFileSync(file, 'utf8')) as Iris;
  const species = [shuffled(versicolor), shuffled(virginica)];
  const rowsToTrainOn = species.flatMap((rows) => rows.slice(0, TRAINED_PER_CLASS));
  const ranges = [0, 1, 2, 3].map((f) => {
    const column = rowsToTrainOn.map((row) => row[f] ?? 0);
    return { least: Math.min(...column), most: Math.max(...column) };
  });
  const scale = (row: readonly number[]) =>
    ranges.map(({ least, most }, f) => {
      const scaled = (2 * ((row[f] ?? 0) - least)) / (most - least) - 1;
      return Math.min(1, Math.max(-1, scaled));
    });
  const flowers = (from: number, to?: number): Flowers => {
    const [lower = [], upper = []] = species.map((rows) => rows.slice(from, to).map(scale));
    const signs = [...lower.map(() => -1 as const), ...upper.map(() => 1 as const)];
    return { inputs: [...lower, ...upper], signs };
  };
  return { train: flowers(0, TRAINED_PER_CLASS), heldOut: flowers(TRAINED_PER_CLASS) };
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

function requestSeed(number: number): number {
  return (seed * 1000 + number) * SEEDS_PER_REQUEST;
}

/** Uniform in [0, 1): mulberry32, for JavaScript's own generator takes no seed. */
function randomNumbers(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
