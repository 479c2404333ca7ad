/**
 * What is stored of a submission: the body, to run it or run it again, and before it the few facts
 * that a record shows, so that listing circuits does not parse their bodies.
 */
import type { Tier } from '../keys/api-key.ts';
import type { CircuitBody } from '../schemas/circuits.ts';

/** The facts of a submission as they took effect. */
export interface CircuitFacts {
  readonly shots: number;
  readonly seed: number;
  /** Width of the register. */
  readonly qubits: number;
  /** Of the caller's key, when it submitted. */
  readonly tier: Tier;
}

const SEPARATOR = ',"body":';

/** The stored text: one JSON object with `facts` and `body`. */
export function encodeRequest(facts: CircuitFacts, bodyJson: string): string {
  const { shots, seed, qubits, tier } = facts;
  return `{"facts":${JSON.stringify({ shots, seed, qubits, tier })}${SEPARATOR}${bodyJson}}`;
}

/**
 * The facts alone, for which the beginning of the text is enough. They are numbers and one word: the
 * separator first occurs at their end, and they are short enough for a brief listing of jobs.
 */
export function decodeFacts(text: string): CircuitFacts {
  const end = text.indexOf(SEPARATOR);
  if (end < 0) throw new Error('unreachable: a stored circuit without a body');
  // Checked: the text was written by encodeRequest.
  return factsOf((JSON.parse(`${text.slice(0, end)}}`) as { facts: StoredFacts }).facts);
}

/** Facts and body. */
export function decodeRequest(text: string): { facts: CircuitFacts; body: CircuitBody } {
  // Checked: the text was written by encodeRequest.
  const { facts, body } = JSON.parse(text) as { facts: StoredFacts; body: CircuitBody };
  return { facts: factsOf(facts), body };
}

/** Facts as they were stored: by an earlier version, without the tier. */
type StoredFacts = Omit<CircuitFacts, 'tier'> & { readonly tier?: Tier };

function factsOf({ tier = 'standard', ...facts }: StoredFacts): CircuitFacts {
  return { ...facts, tier };
}
