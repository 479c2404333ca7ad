/**
 * QAOA: divides a ring of six nodes into two groups with as many edges as possible between them. Needs only
 * Node 24:
 *
 *     QCS_API_KEY=qcs_… node examples/qaoa-maxcut.ts
 *
 * `QCS_URL` is the address of the service, by default http://127.0.0.1:8080. With one layer the expected cut is
 * constant + a·cos 4β + b·sin 4β for a given γ, so three exact expectation values determine the best β.
 * The best pair of angles reaches a mean of 4.5 of 6, as theory predicts for a ring, and the shots include a cut of 6.
 *
 * @see Farhi, Goldstone, Gutmann, "A quantum approximate optimization algorithm" (2014).
 */
type Edge = readonly [number, number];
type Gate = Readonly<Record<string, unknown>>;
interface Answer {
  readonly data: {
    readonly counts: Readonly<Record<string, number>>;
    readonly expectation: { readonly sum: number };
  };
}

const NUM_NODES = 6;
const GAMMAS = 12;
const nodes = Array.from({ length: NUM_NODES }, (_, node) => node);
const edges: readonly Edge[] = nodes.map((node) => [node, (node + 1) % NUM_NODES]);
const service = process.env['QCS_URL'] ?? 'http://127.0.0.1:8080';
const key = process.env['QCS_API_KEY'] ?? '';

let best = { cut: 0, gamma: 0, beta: 0 };
for (let k = 1; k <= GAMMAS; k++) {
  const gamma = (k * Math.PI) / GAMMAS;
  const at = async (beta: number) => await expectedCut(gamma, beta);
  // f(β) = constant + a cos 4β + b sin 4β from its values at 0, π/8 and π/4.
  const [f0, f1, f2] = [await at(0), await at(Math.PI / 8), await at(Math.PI / 4)];
  const constant = (f0 + f2) / 2;
  const [a, b] = [(f0 - f2) / 2, f1 - constant];
  const found = { cut: constant + Math.hypot(a, b), gamma, beta: Math.atan2(b, a) / 4 };
  if (found.cut > best.cut) best = found;
}
const { gamma, beta } = best;
console.log(
  `gamma ${gamma.toFixed(4)} beta ${beta.toFixed(4)} expected cut ${(await expectedCut(gamma, beta)).toFixed(4)}`,
);

const { data } = await submit({
  circuit: [...ansatz(gamma, beta), { gate: 'M', qubits: nodes }],
  shots: 500,
  seed: 7,
});
const [label = '', cut = 0] =
  Object.keys(data.counts)
    .map((outcome): [string, number] => [outcome, cutOf(outcome)])
    .sort(([, one], [, other]) => other - one)[0] ?? [];
console.log(`best of the shots ${label}: cut ${cut}`);

/** One layer: the edges turn phases, the nodes mix. */
function ansatz(gamma: number, beta: number): readonly Gate[] {
  return [
    ...nodes.map((qubit) => ({ gate: 'H', qubit })),
    ...edges.map((qubits) => ({ gate: 'RZZ', qubits, theta: -gamma })),
    ...nodes.map((qubit) => ({ gate: 'RX', qubit, theta: 2 * beta })),
  ];
}

/** Exact: half an edge each, less half its ⟨ZZ⟩. */
async function expectedCut(gamma: number, beta: number): Promise<number> {
  const observables = [
    edges.flatMap(([a, b]) => [
      { pauli: 'I', coefficient: 0.5 },
      { pauli: `Z${a} Z${b}`, coefficient: -0.5 },
    ]),
  ];
  const circuit = ansatz(gamma, beta);
  const answer = await submit({ circuit, shots: 1, return: ['expectation'], observables });
  return answer.data.expectation.sum;
}

/** Qubit 0 is the rightmost character. */
function cutOf(outcome: string): number {
  const group = (node: number) => outcome.at(-1 - node);
  return edges.filter(([a, b]) => group(a) !== group(b)).length;
}

async function submit(body: object): Promise<Answer> {
  const response = await fetch(`${service}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ target_processor: 'statevector-sim', ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const answer: Answer = JSON.parse(await response.text());
  return answer;
}
