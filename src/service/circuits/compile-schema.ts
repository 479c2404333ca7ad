/** Schemas of compiling without running. */
import { z } from 'zod';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { TWIRLED_GATES } from '../../circuit/synthesis/pauli-twirl.ts';
import { MAX_SEED } from '../../math/philox.ts';
import {
  circuitBody,
  compilationFields,
  errorBoundFields,
  fittingFields,
  SOURCE_RULES,
  warnings,
} from './circuit-schema.ts';

/** Formats of a compiled circuit. */
export const COMPILE_FORMATS = ['json', 'qasm2', 'qasm3', 'stim', 'qir'] as const;
export type CompileFormat = (typeof COMPILE_FORMATS)[number];

/** Fields of a circuit's request that concern its run: a circuit that is only compiled has none of them. */
const OF_RUNS = {
  shots: true,
  seed: true,
  initial_state: true,
  priority: true,
  return: true,
  label_format: true,
  shot_format: true,
  observables: true,
  basis_states: true,
  statevector_format: true,
  detectors: true,
  logical_observables: true,
  detector_error_model: true,
  noise: true,
  method: true,
  max_bond_dimension: true,
  truncation_threshold: true,
  approximate: true,
  max_terms: true,
  min_coefficient: true,
  max_weight: true,
} as const;
/** Their names. */
export const RUN_FIELDS: readonly string[] = Object.keys(OF_RUNS);

/** Field that asks for Pauli twirling. */
export const twirlField = z
  .strictObject({
    seed: z
      .int()
      .min(0)
      .max(MAX_SEED)
      .describe('Decides which Paulis; the same seed gives the same'),
  })
  .optional()
  .describe(
    `Puts random Paulis before each ${TWIRLED_GATES.slice(0, -1).join(', ')} and ${TWIRLED_GATES.at(-1)} of the compiled circuit, and those that undo them after it`,
  );

/** The body of POST /quantum/compile. */
export const compileBody = circuitBody
  .omit(OF_RUNS)
  .extend({
    format: z
      .enum(COMPILE_FORMATS)
      .optional()
      .describe('Format of the compiled circuit; default json'),
    twirl: twirlField,
  })
  .meta({
    id: 'CompileRequest',
    ...SOURCE_RULES,
    examples: [
      {
        circuit: [
          { gate: 'H', qubit: 0 },
          { gate: 'T', qubit: 0 },
          { gate: 'T', qubit: 0 },
          { gate: 'CX', control: 0, target: 1 },
        ],
        target_processor: 'statevector-sim',
        format: 'qasm3',
      },
    ],
  });

/** The answer. */
export const compiledCircuit = z
  .strictObject({
    processor: z.string(),
    qubits: z.int(),
    format: z.enum(COMPILE_FORMATS),
    circuit: z.array(gateObject).optional().describe('Compiled circuit, with format json'),
    qasm: z.string().optional().describe('Compiled circuit as text, with format qasm2 or qasm3'),
    stim: z.string().optional().describe('Compiled circuit as text, with format stim'),
    qir: z
      .string()
      .optional()
      .describe('Compiled circuit as text in the base profile of QIR, with format qir'),
    ...errorBoundFields,
    compilation: z.union([compilationFields, fittingFields]),
    timing: z.strictObject({ compile_ms: z.number() }),
    warnings: warnings.optional(),
  })
  .meta({ id: 'CompiledCircuit' });
