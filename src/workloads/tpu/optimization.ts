/**
 * The TPU job `optimization`: QAOA on a max-cut or Ising problem, beside the optimum by brute force.
 *
 * Cut weights and energies in the result are computed from the input, not from the circuit.
 */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { Chance } from '../algorithms/chance.ts';
import { qaoaReport, runQaoa, topOutcomes } from '../algorithms/qaoa/run-qaoa.ts';
import { type IsingProblem, isingProblem, maxCutProblem } from '../algorithms/qaoa/z-polynomial.ts';
import { ProcedureInputError } from '../procedures/errors.ts';
import { seedField, shotsField } from '../procedures/input-fields.ts';
import type { JsonObject } from '../procedures/json.ts';
import { procedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { metered } from './metered-circuits.ts';

const LIMITS = {
  qubits: 16,
  edges: 120,
  layers: 6,
  shots: 100_000,
  /** Most work of all circuits together: gates and energy terms, times amplitudes. */
  amplitude_updates: 1e11,
} as const;

/** Most steps of the angle search for each number of layers. */
const SEARCH_STEPS = 30;
const MAX_WEIGHT = 1e6;

const weight = z.number().min(-MAX_WEIGHT).max(MAX_WEIGHT);
const place = z
  .int()
  .min(0)
  .max(LIMITS.qubits - 1);

/** The Petersen graph: its largest cut has 12 of its 15 edges. */
const PETERSEN_EDGES: readonly (readonly [number, number])[] = [0, 1, 2, 3, 4].flatMap(
  (i): readonly (readonly [number, number])[] => [
    [i, (i + 1) % 5],
    [i, i + 5],
    [i + 5, ((i + 2) % 5) + 5],
  ],
);

const input = z.strictObject({
  problem: z
    .enum(['maxcut', 'ising'])
    .default('maxcut')
    .describe(
      'maxcut: splits the nodes into two groups with the largest total weight of edges between them; ising: finds spins ±1 of least energy Σ h_i·s_i + Σ J_ij·s_i·s_j. Default maxcut',
    ),
  edges: z
    .array(z.tuple([place, place]))
    .min(1)
    .max(LIMITS.edges)
    .optional()
    .describe('maxcut only: pairs of nodes, from 0; by default the Petersen graph'),
  weights: z
    .array(weight)
    .max(LIMITS.edges)
    .optional()
    .describe('maxcut only: weight of each edge, in the order of `edges`; default 1'),
  nodes: z
    .int()
    .min(2)
    .max(LIMITS.qubits)
    .optional()
    .describe('maxcut only: number of nodes; by default one more than the highest node of an edge'),
  h: z
    .array(weight)
    .min(1)
    .max(LIMITS.qubits)
    .optional()
    .describe('ising only: field of each spin; the length is the number of spins'),
  j: z
    .array(z.tuple([place, place, weight]))
    .max(LIMITS.edges)
    .optional()
    .describe('ising only: couplings as [spin, spin, J], each pair once; by default none'),
  layers: z
    .int()
    .min(1)
    .max(LIMITS.layers)
    .default(2)
    .describe('Number of QAOA layers, each a phase and a mixing step; default 2'),
  shots: shotsField(LIMITS.shots, 1_024).describe(
    'Number of samples of the final circuit; default 1024',
  ),
  seed: seedField,
});

type OptimizationInput = z.output<typeof input>;

/** The TPU job `optimization`. */
export const optimization = procedure({
  name: 'optimization',
  description:
    'Solves MaxCut or an Ising problem of up to 16 nodes or spins by QAOA. The result has the best cut or spins that were sampled, the exact optimum by brute force, the ratio of the two, and how the circuit compares with guessing. `gain_over_guessing` is the probability of an optimum in one shot, divided by that of one uniform guess among all candidates.',
  input,
  check: optimizationFaults,
  limits: { ...LIMITS, deadline_ms: 600_000 },
  example: {
    problem: 'maxcut',
    edges: [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 0],
      [0, 2],
    ],
    layers: 1,
    seed: 7,
  },
  run: metered(runOptimization),
});

/** The edges of a cut problem, and their number of nodes. */
function cutGraph({ edges, nodes }: OptimizationInput) {
  const pairs = edges ?? PETERSEN_EDGES;
  return { edges: pairs, numNodes: nodes ?? Math.max(...pairs.flat()) + 1 };
}

/** Fields that belong to one problem. */
const OWN_FIELDS = { maxcut: ['edges', 'weights', 'nodes'], ising: ['h', 'j'] } as const;

function optimizationFaults(given: OptimizationInput): readonly Fault[] {
  const other = given.problem === 'maxcut' ? 'ising' : 'maxcut';
  const foreign = OWN_FIELDS[other].filter((field) => given[field] !== undefined);
  const faults = [
    ...foreign.map((path) => ({ path, message: `Only taken where problem is ${other}.` })),
    ...(given.problem === 'maxcut' ? cutFaults(given) : isingFaults(given)),
  ];
  return faults.length > 0 ? faults : workFaults(given);
}

function cutFaults(given: OptimizationInput): readonly Fault[] {
  const { edges, numNodes } = cutGraph(given);
  const { weights } = given;
  const faults = [...pairFaults('edges', edges, numNodes, 'nodes')];
  if (weights !== undefined && weights.length !== edges.length) {
    const message = `There are ${weights.length} weights for ${edges.length} edges.`;
    faults.push({ path: 'weights', message });
  }
  return faults;
}

function isingFaults({ h, j = [] }: OptimizationInput): readonly Fault[] {
  if (h === undefined) return [{ path: 'h', message: 'Required where problem is ising.' }];
  return pairFaults('j', j, h.length, 'spins');
}

/** Faults of a job that could exceed its deadline if the search took all its steps. */
function workFaults(given: OptimizationInput): readonly Fault[] {
  const { numNodes, edges } = cutGraph(given);
  const isCut = given.problem === 'maxcut';
  const qubits = isCut ? numNodes : (given.h?.length ?? 0);
  const terms = isCut ? edges.length : qubits + (given.j?.length ?? 0);
  let updates = 0;
  for (let layer = 1; layer <= given.layers; layer++) {
    // A gradient takes two circuits per angle and one more; a line search takes five.
    const numCircuits = SEARCH_STEPS * (6 + 4 * layer);
    updates += numCircuits * (qubits + layer * (terms + qubits) + terms) * 2 ** qubits;
    if (updates <= LIMITS.amplitude_updates) continue;
    const message = `With ${terms} terms on ${qubits} qubits the limit is ${layer - 1} layers.`;
    return [{ path: 'layers', message }];
  }
  return [];
}

/** Faults of pairs: both ends must exist, and each pair occurs once, in either order. */
function pairFaults(
  path: string,
  pairs: readonly (readonly number[])[],
  count: number,
  what: string,
): readonly Fault[] {
  const seen = new Map<string, number>();
  return pairs.flatMap(([a = 0, b = 0], i): readonly Fault[] => {
    const at = `${path}[${i}]`;
    const missing = [a, b].find((end) => end >= count);
    if (missing !== undefined) {
      const message = `names ${missing}, but there are ${count} ${what} (0 to ${count - 1}).`;
      return [{ path: at, message }];
    }
    if (a === b) return [{ path: at, message: `joins ${a} to itself.` }];
    const name = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const first = seen.get(name);
    if (first !== undefined) {
      return [{ path: at, message: `is the same pair as ${path}[${first}].` }];
    }
    seen.set(name, i);
    return [];
  });
}

/** A problem as QAOA takes it, and the view of a basis state in results. */
interface Instance {
  readonly problem: IsingProblem;
  readonly view: (basisIndex: number) => JsonObject;
}

async function runOptimization(
  input: OptimizationInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { layers, shots, seed = context.seed } = input;
  const { problem, view } = input.problem === 'maxcut' ? cutInstance(input) : isingInstance(input);
  const { maxQubits } = context.circuits;
  if (problem.numQubits > maxQubits) {
    const message = `It takes ${problem.numQubits} qubits; ${maxQubits} would run now.`;
    throw new ProcedureInputError([{ path: '', message }]);
  }
  const result = await runQaoa(
    problem,
    { layers, shots, seed: new Chance(seed, 0).seed(), maxSteps: SEARCH_STEPS },
    context,
  );
  const { best, optimum } = result;
  return {
    problem: input.problem,
    best: { ...view(best.basisIndex), count: best.count },
    optimum: { ...view(optimum.basisIndex), number_of_optima: optimum.numOptima },
    // (worst − best)/(worst − optimum): 1 where an optimum was sampled.
    approximation_ratio: result.approximationRatio,
    most_frequent: topOutcomes(result).map(({ basisIndex, count }) => ({
      ...view(basisIndex),
      count,
    })),
    qaoa: qaoaReport(result),
    seed,
  };
}

function cutInstance(input: OptimizationInput): Instance {
  const { edges, numNodes } = cutGraph(input);
  const weighted = edges.map(([from, to], i) => ({ from, to, weight: input.weights?.[i] ?? 1 }));
  return {
    problem: maxCutProblem(numNodes, weighted),
    view: (basisIndex) => {
      const groups = bitsOf(basisIndex, numNodes);
      const cut = weighted.filter(({ from, to }) => groups[from] !== groups[to]);
      return {
        groups,
        cut_weight: cut.reduce((sum, edge) => sum + edge.weight, 0),
        cut_edges: cut.map(({ from, to }) => [from, to]),
      };
    },
  };
}

function isingInstance({ h = [], j = [] }: OptimizationInput): Instance {
  const couplings = j.map(([first, second, value]) => ({ i: first, j: second, value }));
  return {
    problem: isingProblem({ numQubits: h.length, fields: h, couplings }),
    view: (basisIndex) => {
      const spins = bitsOf(basisIndex, h.length).map((bit) => 1 - 2 * bit);
      const ofFields = h.reduce((sum, field, i) => sum + field * spins[i]!, 0);
      const energy = j.reduce(
        (sum, [a, b, value]) => sum + value * spins[a]! * spins[b]!,
        ofFields,
      );
      return { spins, energy };
    },
  };
}

/** The bit of each qubit, from qubit 0. */
function bitsOf(basisIndex: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, qubit) => (basisIndex >>> qubit) & 1);
}
