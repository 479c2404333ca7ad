/** The tables of docs/limits.md, from the constants and settings that the service obeys. */
import {
  MAX_CIRCUIT_QUBITS,
  MAX_CLASSICAL_BITS,
  MAX_FREE_STEPS,
  MAX_UNITARY_QUBITS,
  STEPS_PER_GATE,
} from '../src/circuit/circuit-limits.ts';
import { MAX_BASIS_STATES, MAX_LISTED_QUBITS } from '../src/circuit/outputs.ts';
import { MAX_COMBINATIONS } from '../src/circuit/read-sweep.ts';
import { loadConfig } from '../src/config.ts';
import { MAX_TABLE_BITS } from '../src/decoding/lookup.ts';
import { MAX_CPU_QUBITS } from '../src/engine/cpu/hosted-engine.ts';
import { MAX_GPU_QUBITS } from '../src/engine/webgpu/gpu-target.ts';
import { MAX_WAITING_BYTES, MAX_WAITING_BYTES_OF_KEY } from '../src/fleet/admission.ts';
import {
  MAX_COUNTS_BYTES,
  MAX_INPUTS,
  MAX_NUMBERS,
  MAX_POINTS,
  MAX_PROGRAMS,
} from '../src/service/batches/batch-schema.ts';
import { MAX_DEVICE_CIRCUITS, MAX_DEVICE_SHOTS } from '../src/service/batches/read-batch.ts';
import { MAX_LOSS_LABEL_BITS } from '../src/service/circuits/check-loss.ts';
import { MAX_OUTCOME_BITS } from '../src/service/circuits/check-outputs.ts';
import {
  MAX_BOND_DIMENSION,
  MAX_PARITY_BITS,
  MAX_TERMS,
} from '../src/service/circuits/circuit-schema.ts';
import { MAX_PAULI_TERMS } from '../src/service/circuits/pauli-fields.ts';
import {
  MAX_METADATA_LENGTH,
  MAX_TASK_SHOTS,
  MAX_TASKS,
} from '../src/service/experiments/experiment-schema.ts';
import { MAX_FAILED_ATTEMPTS } from '../src/service/http/authentication.ts';
import { MAX_STREAMS_OF_KEY } from '../src/service/jobs/job-event-stream.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../src/service/jobs/procedure-jobs.ts';
import { MAX_UNDER_WAY } from '../src/service/models/demo-routes.ts';
import {
  MAX_BODY_BYTES as MAX_INFERENCE_BYTES,
  MAX_TEXTS_AT_ONCE,
} from '../src/service/models/model-routes.ts';
import { INFERENCE_LIMITS } from '../src/workloads/models/qnn-hybrid/classification-request.ts';
import { MAX_PLAN_TASKS } from '../src/workloads/plans/plan.ts';
import { tableOf, withSections } from './document-sections.ts';

/** docs/limits.md with its tables made anew. */
export function limitsDocument(): string {
  return withSections('docs/limits.md', {
    circuits: circuits(),
    batches: batches(),
    experiments: experiments(),
    callers: callers(),
  });
}

const HEAD = ['limit', 'value', 'setting'];

function circuits(): string {
  const config = loadConfig({});
  return tableOf(HEAD, [
    [
      'qubits',
      `what the memory holds; at most ${MAX_CPU_QUBITS.f64} in double precision, ${MAX_CPU_QUBITS.f32} in single precision, ${MAX_GPU_QUBITS} on a GPU. \`max_qubits\` of the processor has the value of this machine. By the methods \`stabilizer\`, \`matrix_product_state\`, \`sparse\` and \`pauli_propagation\` of \`qvm\`, ${count(MAX_CIRCUIT_QUBITS)}`,
      '`QCS_MEMORY_MIB`, `QCS_GPU_MEMORY_MIB`',
    ],
    ['operations', count(config.maxGates), '`QCS_MAX_GATES`'],
    [
      "steps of an OpenQASM program, a text in Stim's format or a program in QIR while it is read (loops, calls, expressions, instructions), over all programs of a batch",
      `${count(MAX_FREE_STEPS)}, and ${STEPS_PER_GATE} more for each gate`,
      '`QCS_MAX_GATES`',
    ],
    ['shots', count(config.maxShots), '`QCS_MAX_SHOTS`'],
    [
      'expected run time',
      `${config.maxRunMs / 3_600_000} hours ([large circuits](operations.md#large-circuits))`,
      '`QCS_MAX_RUN_MINUTES`',
    ],
    [
      'iterations of loops on measured bits, in one shot',
      count(config.maxRounds),
      '`QCS_MAX_LOOP_ROUNDS`',
    ],
    [
      'classical bits',
      `${count(MAX_CLASSICAL_BITS)}; and bits × shots at most 2^${Math.log2(MAX_OUTCOME_BITS)}`,
      '',
    ],
    [
      'classical bits in `counts` and `memory` where qubits may be lost',
      count(MAX_LOSS_LABEL_BITS),
      '',
    ],
    ['`max_bond_dimension`', count(MAX_BOND_DIMENSION), ''],
    ['`max_terms`', count(MAX_PAULI_TERMS), ''],
    ['qubits of a `UNITARY`', MAX_UNITARY_QUBITS, ''],
    ['`observables`', `${count(MAX_TERMS)} Pauli terms in all`, ''],
    ['`statevector` in an answer', `${MAX_LISTED_QUBITS} qubits`, ''],
    ['`basis_states`, and those of pragmas', count(MAX_BASIS_STATES), ''],
    ['`probabilities` in an answer', `${MAX_LISTED_QUBITS} measured bits`, ''],
    [
      'request body',
      `${mib(config.bodyLimitBytes)} of UTF-8 JSON, not compressed`,
      '`QCS_BODY_LIMIT_MIB`',
    ],
    [
      'waiting circuits',
      `${count(config.queueLimit)}; and ${mib(MAX_WAITING_BYTES)} of memory, ${mib(MAX_WAITING_BYTES_OF_KEY)} for one key; then 503`,
      '`QCS_QUEUE_LIMIT`',
    ],
  ]);
}

function batches(): string {
  return tableOf(HEAD, [
    ['programs', count(MAX_PROGRAMS), ''],
    ['points, over all programs', count(MAX_POINTS), ''],
    ['inputs of a program', count(MAX_INPUTS), ''],
    ['combinations of inputs that decide which gates run', count(MAX_COMBINATIONS), ''],
    [
      'numbers in the answer',
      `${count(MAX_NUMBERS)} (${mib(8 * MAX_NUMBERS)} as numbers of 64 bits)`,
      '',
    ],
    [
      'counts in the answer',
      `${mib(MAX_COUNTS_BYTES)} of JSON or base64, if every bit string came up`,
      '',
    ],
    ['circuits on hardware, those of estimates counted', count(MAX_DEVICE_CIRCUITS), ''],
    ['shots of all circuits on hardware', count(MAX_DEVICE_SHOTS), ''],
    ['`statevector` of a point', `${MAX_LISTED_QUBITS} qubits`, ''],
    ['`probabilities` of a point', `${MAX_LISTED_QUBITS} measured bits`, ''],
  ]);
}

function experiments(): string {
  return tableOf(HEAD, [
    ['tasks', count(MAX_TASKS), ''],
    ['shots of a task', count(MAX_TASK_SHOTS), ''],
    ['bits in all detectors and logical observables of a task', count(MAX_PARITY_BITS), ''],
    ['characters of the metadata of a task, as JSON', count(MAX_METADATA_LENGTH), ''],
    ['detectors and observables together, for the decoder `lookup`', count(MAX_TABLE_BITS), ''],
  ]);
}

function callers(): string {
  const { rateLimits, inFlightLimits, demoRateLimit, publicRateLimit, storageLimits } = loadConfig(
    {},
  );
  const { maxRows, maxShots, maxQubits, maxLayers } = INFERENCE_LIMITS;
  return tableOf(HEAD, [
    [
      'requests of a key',
      `${count(rateLimits.standard)} per minute for a Standard key, ${count(rateLimits.enterprise)} for an Enterprise key, in windows of 60 seconds that begin with a request; then 429`,
      '`QCS_RATE_LIMIT_STANDARD`, `QCS_RATE_LIMIT_ENTERPRISE`',
    ],
    [
      'waiting and running circuits of a key',
      `${count(inFlightLimits.standard)} for a Standard key, ${count(inFlightLimits.enterprise)} for an Enterprise key; the same number of inferences, of tasks and of TPU jobs; then 429`,
      '`QCS_IN_FLIGHT_STANDARD`, `QCS_IN_FLIGHT_ENTERPRISE`',
    ],
    [
      'stored jobs and results of a key',
      `${mib(storageLimits.standard)} for a Standard key, ${mib(storageLimits.enterprise)} for an Enterprise key; then 429`,
      '`QCS_STORAGE_MIB_STANDARD`, `QCS_STORAGE_MIB_ENTERPRISE`',
    ],
    ['open event streams of a key', `${MAX_STREAMS_OF_KEY}; then 429`, ''],
    ['requests with a missing or wrong key', `${MAX_FAILED_ATTEMPTS} per minute and address`, ''],
    [
      'public demo',
      `${demoRateLimit} requests per minute and address; ${MAX_UNDER_WAY} at once over all addresses`,
      '`QCS_DEMO_RATE_LIMIT`',
    ],
    [
      'pages and documents',
      `${count(publicRateLimit)} requests per minute and address`,
      '`QCS_PUBLIC_RATE_LIMIT`',
    ],
    [
      'one inference',
      `${maxRows} rows of ${count(maxShots)} shots; a circuit of your own: ${maxQubits} qubits, ${maxLayers} layers; a body of ${MAX_INFERENCE_BYTES / 1024} KiB`,
      '',
    ],
    ['texts of a key at once', MAX_TEXTS_AT_ONCE, ''],
    [
      'a task, plan or TPU job',
      `a body of ${mib(MAX_PROCEDURE_BODY_BYTES)}; ${MAX_PLAN_TASKS} tasks in a plan. [agents.md](agents.md) and [tpu.md](tpu.md) have the limits of each task`,
      '',
    ],
  ]);
}

const count = (value: number): string => value.toLocaleString('en-US');

const mib = (bytes: number): string => {
  const inMib = bytes / 2 ** 20;
  return inMib >= 1024 ? `${inMib / 1024} GiB` : `${inMib} MiB`;
};
