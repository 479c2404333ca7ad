/**
 * Checks that the decoders of tasks can decode them, before an experiment becomes a job. To make the error model of a
 * circuit takes longer than everything else that is checked, and most tasks of an experiment differ in the strengths of
 * their noise alone. So circuits of one structure are checked once, and only as many as can be in the time for reading a
 * body. A task that is not checked may fail when its first shots are decoded.
 */
import { type DynamicCircuit, numOperationsOf } from '../../circuit/circuit.ts';
import type { FaultList } from '../../circuit/errors.ts';
import { compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import type { Parities } from '../../compiler/clifford/error-walk.ts';
import { type DecoderChoice, Decoders, structureOf } from '../../decoding/decoders.ts';
import { notDecodable } from '../../decoding/errors.ts';
import { FaultStrata } from '../../decoding/fault-strata.ts';
import type { DecoderName } from '../../decoding/open-decoder.ts';
import type { FaultNumbers } from './stratified-counts.ts';

/** Code of faults that depend on the circuit. */
export const INVALID = 'CIRCUIT_INVALID';

/** The circuits of an experiment that can be decoded. */
export class DecodableCircuits {
  /** Digests of structures that can be decoded. Others are refused one by one. */
  readonly #known = new Set<string>();
  readonly #decoders = new Decoders();
  #instructionsLeft: number;

  /** @param maxInstructions - Of the circuits that are checked, together. */
  constructor(maxInstructions: number) {
    this.#instructionsLeft = maxInstructions;
  }

  /** Adds a fault if a decoder is found unable to decode the errors of a circuit. */
  check(
    name: DecoderChoice,
    { circuit, losesQubits }: { readonly circuit: DynamicCircuit; readonly losesQubits: boolean },
    parities: Parities,
    faults: FaultList,
  ): void {
    if (name === 'none') return;
    const reason = losesQubits
      ? 'which errors flip a detector depends on the qubits that are lost'
      : this.#reasonAgainst(name, circuit, parities);
    if (reason !== undefined) faults.add('decoder', notDecodable(name, reason), INVALID);
  }

  /** The numbers of faults of a circuit's shots; adds a fault where they are not known. */
  faultNumbers(
    { circuit, losesQubits }: { readonly circuit: DynamicCircuit; readonly losesQubits: boolean },
    parities: Parities,
    faults: FaultList,
  ): Omit<FaultNumbers, 'minFaults'> | undefined {
    const found = losesQubits
      ? 'which errors flip a detector depends on the qubits that are lost'
      : this.#faultNumbers(circuit, parities);
    if (typeof found !== 'string') return found;
    faults.add('sampling', `Shots are not stratified by their faults: ${found}.`, INVALID);
    return undefined;
  }

  #faultNumbers(circuit: DynamicCircuit, parities: Parities) {
    if (parities.repeated !== undefined) return 'the REPEAT blocks of the text are kept as loops';
    const program = compileStabilizer(circuit);
    if ('kind' in program) {
      return `faults are those of Clifford gates with Pauli noise, and ${program.operation} is neither`;
    }
    const structure = `faults ${structureOf(program, parities)}`;
    if (!this.#known.has(structure)) {
      if (this.#instructionsLeft <= 0)
        return 'the circuits of the experiment are too many and different';
      this.#instructionsLeft -= program.code.length / 4;
      this.#known.add(structure);
    }
    const errors = this.#decoders.errorsOf(program, parities, 'exact');
    if ('reason' in errors) return errors.reason;
    const strata = new FaultStrata(errors);
    const probabilities = strata.distribution();
    if (typeof probabilities === 'string') return probabilities;
    return { numFaults: strata.numFaults, mean: strata.mean, probabilities };
  }

  #reasonAgainst(
    name: DecoderName,
    circuit: DynamicCircuit,
    parities: Parities,
  ): string | undefined {
    const program = compileStabilizer(circuit);
    if ('kind' in program) {
      return `decoders take Clifford gates with Pauli noise, and ${program.operation} is neither`;
    }
    const structure = `${name} ${structureOf(program, parities)}`;
    if (this.#instructionsLeft <= 0 || this.#known.has(structure)) return undefined;
    // A decoder writes out the errors of all rounds of a loop.
    this.#instructionsLeft -= Math.max(program.code.length / 4, numOperationsOf(circuit));
    const decoder = this.#decoders.open(name, program, parities);
    if ('reason' in decoder) return decoder.reason;
    this.#known.add(structure);
    return undefined;
  }
}
