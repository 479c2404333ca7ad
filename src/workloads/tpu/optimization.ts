/** What an optimization job takes; optimization-run.ts does it. */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { seedField, shotsField } from '../procedures/input-fields.ts';
import { procedure } from '../procedures/procedure.ts';

const LIMITS = {
  qubits: 16,
  edges: 120,
  layers: 6,
  shots: 100_000,
  /** Gates and terms of the energy, times amplitudes, of all circuits together. */
  amplitude_updates: 1e11,
} as const;

/** Steps of the search of angles for each number of layers, at most. */
export const SEARCH_STEPS = 30;
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

/** An input of an optimization job. */
export type OptimizationInput = z.output<typeof input>;

/** MaxCut and Ising problems by QAOA. */
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
  load: () => import('./optimization-run.ts').then(({ runOptimization }) => runOptimization),
});

/** The edges of a cut problem, and their number of nodes. */
export function cutGraph({ edges, nodes }: OptimizationInput) {
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

/** Whether it would be through before its deadline, if the search took all its steps. */
function workFaults(given: OptimizationInput): readonly Fault[] {
  const { numNodes, edges } = cutGraph(given);
  const isCut = given.problem === 'maxcut';
  const qubits = isCut ? numNodes : (given.h?.length ?? 0);
  const terms = isCut ? edges.length : qubits + (given.j?.length ?? 0);
  let updates = 0;
  for (let layer = 1; layer <= given.layers; layer++) {
    // A slope takes two circuits an angle and one more, the lengths of a step five.
    const numCircuits = SEARCH_STEPS * (6 + 4 * layer);
    updates += numCircuits * (qubits + layer * (terms + qubits) + terms) * 2 ** qubits;
    if (updates <= LIMITS.amplitude_updates) continue;
    const message = `With ${terms} terms on ${qubits} qubits the limit is ${layer - 1} layers.`;
    return [{ path: 'layers', message }];
  }
  return [];
}

/** Pairs are of two that are there, and each is named once, whichever comes first. */
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
