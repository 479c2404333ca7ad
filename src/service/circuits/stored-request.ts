/** What is stored of a submitted circuit. */
import { decodeStored, encodeStored, storedFacts } from '../jobs/stored-request.ts';
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

/** The stored text. */
export function encodeRequest(facts: CircuitFacts, bodyJson: string): string {
  const { shots, seed, qubits, tier } = facts;
  return encodeStored({ shots, seed, qubits, tier }, bodyJson);
}

/** The facts alone, of the text or of its beginning. */
export function decodeFacts(text: string): CircuitFacts {
  // Checked: the text was written by encodeRequest.
  return factsOf(storedFacts(text) as StoredFacts);
}

/** Facts and body. */
export function decodeRequest(text: string): { facts: CircuitFacts; body: CircuitBody } {
  // Checked: the text was written by encodeRequest.
  const { facts, body } = decodeStored(text) as { facts: StoredFacts; body: CircuitBody };
  return { facts: factsOf(facts), body };
}

/** Facts as they were stored: by an earlier version, without the tier. */
type StoredFacts = Omit<CircuitFacts, 'tier'> & { readonly tier?: Tier };

function factsOf({ tier = 'standard', ...facts }: StoredFacts): CircuitFacts {
  return { ...facts, tier };
}
