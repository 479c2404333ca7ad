/**
 * Table of error codes with their HTTP status and meaning.
 *
 * In answers, `error.code` is one of the specification's codes; the code of the error class, which is a row
 * here, is in `error.details[].code`. docs/errors.md is generated from this table. A test fails if a class's
 * code has no row.
 */

/** The specification's error codes and their HTTP statuses. */
export const SPEC_CODES = {
  BAD_REQUEST: { status: 400, meaning: 'Invalid request body or missing required fields' },
  UNAUTHORIZED: { status: 401, meaning: 'Missing or invalid API key' },
  FORBIDDEN: { status: 403, meaning: 'Key lacks permission for this endpoint' },
  NOT_FOUND: { status: 404, meaning: 'Resource not found' },
  RATE_LIMIT_EXCEEDED: { status: 429, meaning: "Rate limit of the key's tier exceeded" },
  INTERNAL_ERROR: { status: 500, meaning: 'Unexpected server error' },
  SERVICE_UNAVAILABLE: { status: 503, meaning: 'Quantum processor offline or under maintenance' },
} as const;

export type SpecCode = keyof typeof SPEC_CODES;

const SPEC_NAMES = Object.keys(SPEC_CODES) as SpecCode[];

/**
 * Explanation of each code, under the code that answers it; under `NONE` errors of the command line or of the start,
 * which no request meets.
 */
const MEANINGS: Readonly<Record<SpecCode | 'NONE', Readonly<Record<string, string>>>> = {
  BAD_REQUEST: {
    CIRCUIT_INPUTS_INVALID:
      '`inputs` is malformed, or the circuit is invalid at a point of its inputs; each fault has its path.',
    CIRCUIT_INVALID: 'Gate objects or observables are invalid; each fault has its path.',
    CIRCUIT_LIMIT_EXCEEDED:
      'The circuit is larger than a limit of the target processor or of the service.',
    CIRCUIT_OPENQASM_INPUT: '`inputs` does not match the inputs that the OpenQASM text declares.',
    CIRCUIT_OPENQASM_INVALID:
      'The OpenQASM text is grammatical but uses something that does not exist.',
    CIRCUIT_OPENQASM_SYNTAX:
      'The OpenQASM text breaks the grammar; the message gives line and column.',
    CIRCUIT_OPENQASM_UNPRINTABLE:
      'The circuit has a condition that OpenQASM 2 cannot express; OpenQASM 3 can.',
    CIRCUIT_OPENQASM_UNSUPPORTED:
      'The OpenQASM text uses a part of the language that this service does not run.',
    CIRCUIT_QIR_INVALID:
      'The program in QIR has a fault, or something outside of the base and adaptive profile; the message gives the place.',
    CIRCUIT_QIR_UNPRINTABLE:
      'The base profile of QIR cannot express the circuit; the message names the operation.',
    CIRCUIT_STIM_INVALID:
      "The text in Stim's format has a fault; the message gives line and column.",
    CIRCUIT_STIM_UNPRINTABLE:
      "Stim's format cannot express the circuit; the message names the operation.",
    COMPILER_CHANNEL_TOO_WIDE:
      'Noise acts on more qubits together than a density matrix takes on the engine.',
    COMPILER_KERNEL_TOO_WIDE: 'An operation acts on more qubits at once than the engine supports.',
    COMPILER_MATRIX_PRODUCT_NOISE:
      'The circuit has noise on three or more qubits together that matrix product states do not take.',
    DECODING_IMPOSSIBLE_EVENTS:
      'Detection events are given to a decoder whose error model has no errors that flip them together.',
    DECODING_NOT_DECODABLE:
      'The decoder of a task of an experiment cannot decode the errors of its circuit; the message says why.',
    ENGINE_BATCH_INVALID: 'Angles, seeds or sizes of a batch do not match its shape.',
    ENGINE_CLASSICAL_VALUE:
      'A program computed an undefined value from measured bits, such as a division by zero.',
    ENGINE_DENSITY_MATRIX_TOO_LARGE:
      'The density matrix of more qubits was asked for than is returned.',
    ENGINE_DENSITY_TOO_WIDE:
      'The density matrix of the circuit has more qubits than the engine can hold.',
    ENGINE_NO_ROOM_FOR_VARIANCE:
      'The variance of a sum of Pauli strings needs a second state, for which there is no memory.',
    ENGINE_OUTPUT_NEEDS_AMPLITUDES:
      'Amplitudes were asked for, but the circuit runs as a stabilizer state.',
    ENGINE_OUTPUT_NEEDS_FINAL_STATE:
      'Amplitudes, probabilities or expectation values were asked for, but the circuit measures before its end.',
    ENGINE_OUTPUT_NEEDS_SHOTS:
      'Probabilities or expectation values over trajectories were asked for, without shots.',
    ENGINE_OUTPUT_NEEDS_STATE_VECTOR:
      'Amplitudes were asked for, but the circuit runs as a density matrix.',
    ENGINE_OUTPUT_NEEDS_DENSITY_MATRIX:
      'A snapshot is of a density matrix, and the method has none.',
    ENGINE_PROGRAM_TOO_WIDE:
      'The circuit has more qubits than the engine can hold on this machine.',
    ENGINE_STATE_VECTOR_TOO_LONG:
      'The state vector of a matrix product state or a sparse state was requested for too many qubits.',
    ENGINE_TOO_MANY_AMPLITUDES:
      'More amplitudes of a sparse state were not 0 than fit into memory.',
    ENGINE_TOO_MANY_BRANCHES:
      'Measurements in mid-circuit split the shots into more states than the memory can hold.',
    ENGINE_TOO_MANY_OUTCOMES: 'The exact distribution was asked for over too many classical bits.',
    ENGINE_TOO_MANY_TERMS: 'An observable became more Pauli strings than `max_terms`.',
    ENGINE_TOO_MANY_ROUNDS:
      'A shot took more iterations of loops on measured bits than QCS_MAX_LOOP_ROUNDS allows.',
    FLEET_CIRCUIT_MEMORY:
      'The circuit filled the JavaScript heap of two workers (`QCS_ENGINE_HEAP_MIB`).',
    FLEET_CIRCUIT_TOO_LARGE:
      'The circuit has more qubits than the processor can hold; the message has the memory.',
    FLEET_CIRCUIT_TOO_LONG: 'The circuit is expected to run for longer than `QCS_MAX_RUN_MINUTES`.',
    FLEET_METHOD_MISSING: 'The engine that the processor uses does not have the method.',
    JOBS_IDEMPOTENCY_CONFLICT: 'The Idempotency-Key was used before with another body.',
    JOBS_NOT_RETRIABLE:
      'The job waits, runs or is completed; only failed and cancelled jobs can be retried.',
    SERVICE_BODY_MALFORMED: 'The body is not a JSON text.',
    SERVICE_BODY_TOO_LARGE:
      'The body is larger than the limit of the route, which is at most QCS_BODY_LIMIT_MIB.',
    SERVICE_CONTENT_TYPE: 'The body is not declared as application/json.',
    SERVICE_HTTP_MALFORMED: 'The request line, a header or the framing of the body breaks HTTP.',
    SERVICE_IONQ_CIRCUIT_OF_JOB:
      "IonQ's interface: to cancel or delete one circuit of a job of several.",
    SERVICE_IONQ_SESSION_ENDED:
      "IonQ's interface: a job for a session that has ended or has all its jobs.",
    SERVICE_JOB_NOT_FINISHED:
      'A request to delete a job that waits or runs, or that belongs to such a plan.',
    SERVICE_KEY_EXPIRY_IN_PAST:
      'A request to create or change an API key with an expiry in the past.',
    SERVICE_KEY_REVOKED: 'A request to change or rotate a revoked API key; revoking is final.',
    SERVICE_LAST_ADMIN_KEY:
      'A request to revoke the last valid API key with the scope `admin`, or to remove its scope. `qcs keys` on the machine can do so.',
    SERVICE_READING_MEMORY: 'Parsing the body took more memory than a parsing process may have.',
    SERVICE_READING_TIME: 'Parsing the body took more CPU time than `QCS_READ_CPU_MS`.',
    SERVICE_REQUEST_INVALID:
      'A field of the body, query or headers is missing, unknown or out of range.',
    WORKLOADS_GATE_NOT_DIFFERENTIABLE:
      'A parameter to be trained belongs to a gate without an exact derivative here.',
    WORKLOADS_INFERENCE_INVALID:
      'Fields of an inference request are missing or out of range; each fault has its path.',
    WORKLOADS_PLAN_INPUT:
      'The results that a task of a plan refers to are larger than an input may be.',
    WORKLOADS_PLAN_REFERENCE: 'A task of a plan refers to a part of a result that does not exist.',
    WORKLOADS_PLAN_TASK: 'A task of a plan failed or was cancelled; its own record says more.',
    WORKLOADS_TASK_DEADLINE: 'A task or TPU job did not end before its deadline.',
    WORKLOADS_TASK_INPUT:
      'The input of a task or TPU job cannot be processed; the message has the path.',
    WORKLOADS_TASK_MEMORY: 'A task or TPU job needed more memory than it may use.',
    WORKLOADS_TASK_RESULT: 'The result of a task or TPU job is too large to be stored.',
    WORKLOADS_UPSTREAM_REFUSED:
      'The upstream of a model refused the request, for example because the prompt is too long.',
  },
  UNAUTHORIZED: {
    SERVICE_KEY_EXPIRED: 'The API key has expired.',
    SERVICE_KEY_INVALID: 'The API key is unknown, misspelt or revoked.',
    SERVICE_KEY_MISSING: 'There is no X-API-Key header.',
  },
  FORBIDDEN: {
    SERVICE_SCOPE_MISSING: 'The API key lacks the scope that the endpoint needs.',
  },
  NOT_FOUND: {
    JOBS_NOT_FOUND: 'No job of this key has that id.',
    SERVICE_AGENT_NOT_FOUND: 'There is no such agent.',
    SERVICE_DEVICE_NOT_FOUND: 'No device of the fleet has that id.',
    SERVICE_IONQ_BACKEND_NOT_FOUND: "IonQ's interface has no backend of that name.",
    SERVICE_IONQ_RESULT_NOT_FOUND:
      "IonQ's interface: the job has no such result, or is not completed.",
    SERVICE_IONQ_SESSION_NOT_FOUND: "IonQ's interface: the key has no such session.",
    SERVICE_KEY_NOT_FOUND: 'No API key has that id.',
    SERVICE_METHOD_NOT_FOUND:
      'The path exists but not with that method; the Allow header lists those it takes.',
    SERVICE_MODEL_NOT_FOUND: 'No model has that id.',
    SERVICE_NOISE_MODEL_NOT_FOUND: 'No noise model has that id.',
    SERVICE_STATE_NOT_KEPT: 'The circuit keeps no state vector for download, or is not completed.',
    SERVICE_NO_DEVICES: 'A request for the devices of a processor that is not a fleet.',
    SERVICE_PROCESSOR_NOT_FOUND: 'No processor has that id.',
    SERVICE_ROUTE_NOT_FOUND: 'The path does not exist.',
    SERVICE_SYSTEM_NOT_FOUND: 'There is no such system.',
  },
  RATE_LIMIT_EXCEEDED: {
    SERVICE_DEMO_RATE_LIMIT:
      'The address has used up its requests to the public demo of this minute.',
    SERVICE_IN_FLIGHT_LIMIT:
      'The key has as many waiting and running circuits, or inferences, as its tier allows.',
    SERVICE_KEY_READING_ROOM:
      'Large bodies of the key that arrive or wait to be parsed fill a quarter of `QCS_READ_MIB`.',
    SERVICE_PUBLIC_RATE_LIMIT:
      'Too many requests for pages and documents came from one address within a minute.',
    SERVICE_RATE_LIMIT: 'The key has used up its requests of this minute.',
    SERVICE_STORAGE_QUOTA:
      'The jobs and results of the key have reached the storage limit of its tier.',
    SERVICE_TOO_MANY_ATTEMPTS:
      'Too many requests without a valid key came from one address within a minute.',
    SERVICE_TOO_MANY_STREAMS: 'The key has as many open event streams as it may.',
  },
  INTERNAL_ERROR: {
    CLUSTER_FLEET_NODE_IN_USE:
      'Another node serves the devices that QCS_FLEET_NODES names. The service ends; no request is answered with it.',
    CLUSTER_NODE_NAME_IN_USE:
      'Another process is the node of this name. The service ends; no request is answered with it.',
    ENGINE_INVARIANT:
      'A result breaks what holds for every right one, such as counts that sum to the shots; it is logged, and not answered.',
    JOBS_CANCELLED: 'The job was cancelled. This code is internal; no request is answered with it.',
    JOBS_DAMAGED: 'The stored record of the job cannot be read; other jobs are not affected.',
    JOBS_DUPLICATE: 'A job id was used twice; callers never choose ids.',
    JOBS_INTERRUPTED:
      'The service died too often while the job ran with few others, so that the job may be the cause (QCS_JOB_ATTEMPTS).',
    JOBS_LOST:
      'Another node of the cluster holds the job now. This code is internal; no request is answered with it.',
    JOBS_NO_HANDLER: 'The process has no handler for jobs of this kind.',
    JOBS_TRANSITION:
      'The status of a job cannot change this way; callers of the HTTP API never cause this.',
    SERVICE_JOB_FAILED:
      'The job that the caller waited for failed; the detail carries its own code, and where that code answers 400 or 503, so does the request.',
    SERVICE_KEY_DAMAGED:
      'The stored record of the API key cannot be read; an administrator must create a new key.',
    WORKLOADS_NOT_EQUIVALENT:
      'A circuit of the design agent failed its verification, and was not returned.',
  },
  SERVICE_UNAVAILABLE: {
    CLUSTER_NO_NODE: 'No node of the cluster that runs jobs is up.',
    ENGINE_CLOSED: 'The engine was closed before the circuit had its turn.',
    ENGINE_DEVICE_LOST: 'The GPU was lost while the circuit ran on it.',
    ENGINE_GPU_FAULT: 'The GPU refused work, or lacked memory in the middle of it.',
    ENGINE_HELPER_LOST:
      'A thread of the engine ended while it ran the circuit; callers see FLEET_ENGINE_LOST.',
    ENGINE_NO_ADAPTER: 'WebGPU found no adapter that it can open.',
    ENGINE_STATE_MEMORY: 'The state vector needs more memory than the machine has left.',
    FLEET_CLOSED: 'The service stopped while the circuit waited or ran.',
    FLEET_ENGINE_LOST:
      'The worker died three times while it ran only this circuit (on adapters four times).',
    FLEET_NO_WORKER: 'No engine can be started.',
    FLEET_OUT_OF_MEMORY: 'The machine has no memory for the state vector.',
    FLEET_PROCESSOR_UNAVAILABLE:
      'The target is offline, in maintenance, or failed its last self-test.',
    FLEET_QUEUE_FULL: 'The queue of the target is full.',
    FLEET_WORKER_LOST: 'A worker ended while it ran the circuit; callers see FLEET_ENGINE_LOST.',
    FLEET_WRONG_ADAPTER: 'A driver opened another adapter than the requested one.',
    HARDWARE_JOB_FAILED: 'The job failed at the vendor of the hardware, or was cancelled there.',
    HARDWARE_RESULT_UNUSABLE:
      'The result that the vendor of the hardware returned does not fit the circuit.',
    JOBS_SHUTTING_DOWN: 'The service is stopping and takes no new work.',
    SERVICE_CALLER_GONE: 'The connection closed before the answer was sent; nobody reads it.',
    SERVICE_DEMO_BUSY: 'The public demo already runs as many requests as it may.',
    SERVICE_DEMO_UNAVAILABLE:
      'The model of the public demo is not available; requests with a key are answered the reason.',
    SERVICE_PAGE_NOT_BUILT:
      'The files of the console are missing; `npm run build:page` makes them.',
    SERVICE_READER_LOST:
      'The process that parses the body ended several times; a repeat may succeed.',
    SERVICE_READING_ROOM:
      'Large bodies of all keys that arrive or wait to be parsed fill `QCS_READ_MIB`.',
    SERVICE_RESULT_THREAD_LOST:
      'The thread that writes large results ended while it wrote this one; a repeat may succeed.',
    SERVICE_STORAGE_FULL:
      'The database has reached its limit (QCS_STORAGE_MIB); new work is refused.',
    SERVICE_WORKER_NODE:
      'The request was sent to a node of a cluster that only runs jobs (`QCS_ROLE=worker`).',
    SERVICE_WORK_MEMORY:
      'The inputs of the waiting and running tasks or TPU jobs have reached their memory limit.',
    STORAGE_DISK_FULL:
      'The disk is nearly full: new work is refused until there is room; reads continue.',
    STORAGE_UNWRITABLE:
      'The database cannot be written, or PostgreSQL not be reached: new work is refused until it can, and results wait. Reads of the embedded database continue.',
    WORKLOADS_MODEL_UNAVAILABLE:
      'The model failed its last self-test, is too busy, or has no upstream.',
    WORKLOADS_QUEUE_FULL: 'The queue of tasks and TPU jobs is full.',
    WORKLOADS_TASK_LOST: 'The process that ran a task or TPU job ended several times.',
    WORKLOADS_UNAVAILABLE: 'An agent or the TPU fleet failed its last self-test.',
    WORKLOADS_UPSTREAM: 'The upstream of a model did not answer, or its answer cannot be used.',
  },
  NONE: {
    CLI_CIRCUIT_REFUSED: '`qcs submit`: the service refused the circuit; each fault has its path.',
    CLI_EMBEDDED_ONLY:
      '`qcs backup`, `restore`, `check`: the database is in PostgreSQL, which has its own programs.',
    CLI_FILE_NOT_FOUND: '`qcs run`, `qcs submit`, `qcs train --check`: the file does not exist.',
    CLI_NO_GRAPHLIKE_ERROR:
      '`qcs distance`: no errors of one or two detectors flip an observable and no detector.',
    CLI_FILE_UNWRITABLE: '`qcs run`, `qcs submit`: a file of shots cannot be written.',
    CLI_FILE_UNREADABLE: '`qcs run`, `qcs submit`: the file does not contain a circuit.',
    CLI_INTERRUPTED: 'The user interrupted a command.',
    CLI_KEY_MALFORMED:
      '`qcs submit`, `qcs jobs`: the content of QCS_API_KEY or of the file is not an API key.',
    CLI_KEY_MISSING: '`qcs submit`, `qcs jobs`: no API key was given.',
    CLI_LOAD_FAILED: '`qcs capacity`: the service did not start, hung up or answered wrongly.',
    CLI_NODE_NOT_FOUND: '`qcs cluster`: the cluster has no node of that name.',
    CLI_NO_ADAPTER: '`qcs run --engine webgpu`: there is no adapter that it may use.',
    CLI_NO_CLUSTER: '`qcs cluster`: QCS_DATABASE_URL names no database.',
    CLI_NO_TARGET: '`qcs migrate`: QCS_DATABASE_URL names no database.',
    CLI_OPTIONS_CONFLICT: '`qcs run`, `qcs submit`: the options exclude each other.',
    CLI_URL_INVALID: '`qcs submit`, `qcs jobs`: the text is not the address of a service.',
    CLI_WATCH_STOPPED: '`qcs jobs follow` was interrupted by the user; the job continues.',
    CONFIG_INVALID: 'The environment has settings that cannot be used; the process does not start.',
    SERVICE_CANNOT_LISTEN: '`serve`: the service cannot listen on the address and port.',
    STORAGE_BACKUP_EXISTS: '`qcs backup`: the file exists, and is not overwritten.',
    STORAGE_CANNOT_OPEN:
      '`serve`, `keys`: the data directory, its database or the one in PostgreSQL cannot be opened.',
    STORAGE_COPY_DIFFERS:
      '`qcs migrate`: PostgreSQL has stored something else than was sent. Nothing was copied.',
    STORAGE_DATABASE_DAMAGED: '`serve`, `keys`: the database file is damaged.',
    STORAGE_DATABASE_MISSING:
      '`serve`, `keys`: the file of an existing database is missing or empty.',
    STORAGE_DATA_DIRECTORY_IN_USE:
      'Another service runs on the same data directory; this one does not start.',
    STORAGE_LOG_LOST:
      '`serve`, `keys`: the write-ahead log that has the last transactions is missing or damaged.',
    STORAGE_TARGET_IN_USE:
      '`qcs migrate`: the database in PostgreSQL has rows. Nothing was copied.',
    WORKLOADS_ARTEFACT_INVALID:
      'The file of the trained model is missing or damaged; the process does not start.',
  },
};

interface ErrorRow {
  /** Null for errors that no request meets. */
  readonly answers: SpecCode | null;
  /** Explanation for docs/errors.md. */
  readonly meaning: string;
}

/** Answer for each error class, by its code, in alphabetical order. */
export const ERROR_TABLE: Readonly<Record<string, ErrorRow>> = Object.fromEntries(
  [...SPEC_NAMES, null]
    .flatMap((answers) =>
      Object.entries(MEANINGS[answers ?? 'NONE']).map(
        ([code, meaning]) => [code, { answers, meaning }] as const,
      ),
    )
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);

/** Specification code for a class's code. A code without a row is a bug and gets 500. */
export function specCodeOf(code: string): SpecCode {
  return ERROR_TABLE[code]?.answers ?? 'INTERNAL_ERROR';
}
