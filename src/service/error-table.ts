/**
 * The one place that knows which HTTP status an error becomes.
 *
 * On the wire `error.code` is one of the specification's codes; the class's own code, which is a
 * row here, stands in `error.details[].code`. docs/errors.md is made from this table, and a test
 * fails on a class whose code has no row.
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

/** One of the specification's error codes. */
export type SpecCode = keyof typeof SPEC_CODES;

interface ErrorRow {
  /** Null for an error of the command line or of the start, which no request ever meets. */
  readonly answers: SpecCode | null;
  /** For people, in docs/errors.md. */
  readonly meaning: string;
}

/** What each error class's code answers. */
export const ERROR_TABLE: Readonly<Record<string, ErrorRow>> = {
  CLI_ANSWER_UNREADABLE: {
    answers: null,
    meaning: '`qcs jobs`: what answers is not this service, or not this version of it.',
  },
  CLI_CIRCUIT_REFUSED: {
    answers: null,
    meaning: '`qcs submit`: the service does not take the circuit; each fault names its place.',
  },
  CLI_FILE_NOT_FOUND: {
    answers: null,
    meaning: '`qcs run`, `qcs submit`, `qcs train --check`: there is no such file.',
  },
  CLI_FILE_UNREADABLE: {
    answers: null,
    meaning: '`qcs run`, `qcs submit`: the file holds no circuit.',
  },
  CLI_INTERRUPTED: { answers: null, meaning: 'A command was ended by the keyboard.' },
  CLI_JOB_CANCELLED: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs follow`: the job was cancelled.',
  },
  CLI_JOB_FAILED: { answers: null, meaning: '`qcs submit`, `qcs jobs follow`: the job failed.' },
  CLI_JOB_ID_INVALID: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: the text has not the form of an id.',
  },
  CLI_JOB_NOT_FOUND: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: the service has no job of that id and key.',
  },
  CLI_KEY_MALFORMED: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: what QCS_API_KEY or the file holds can be no API key.',
  },
  CLI_KEY_MISSING: { answers: null, meaning: '`qcs submit`, `qcs jobs`: no API key was named.' },
  CLI_KEY_REFUSED: {
    answers: null,
    meaning:
      '`qcs submit`, `qcs jobs`: the service does not know the API key, or it lacks the scope.',
  },
  CLI_LOAD_FAILED: {
    answers: null,
    meaning: '`qcs capacity`: the service did not start, hung up or answered wrongly.',
  },
  CLI_NO_ADAPTER: {
    answers: null,
    meaning: '`qcs run --engine webgpu`: there is no adapter that it may run on.',
  },
  CLI_OPTIONS_CONFLICT: { answers: null, meaning: '`qcs run`: options that exclude each other.' },
  CLI_SERVICE_REFUSED: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: the service answered with an error; the message has it.',
  },
  CLI_SERVICE_UNREACHABLE: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: no service answers at the address.',
  },
  CLI_URL_INVALID: {
    answers: null,
    meaning: '`qcs submit`, `qcs jobs`: that is no address of a service.',
  },
  CLI_WATCH_STOPPED: {
    answers: null,
    meaning: '`qcs jobs follow` was ended by the keyboard; the job goes on.',
  },
  CIRCUIT_INVALID: {
    answers: 'BAD_REQUEST',
    meaning: 'Gate objects or observables do not make a circuit; each fault names its place.',
  },
  CIRCUIT_LIMIT_EXCEEDED: {
    answers: 'BAD_REQUEST',
    meaning: 'The circuit is larger than a limit of the target processor or of the service.',
  },
  CIRCUIT_OPENQASM_INPUT: {
    answers: 'BAD_REQUEST',
    meaning: 'The values in `inputs` are not those that the OpenQASM text declares as its inputs.',
  },
  CIRCUIT_OPENQASM_SYNTAX: {
    answers: 'BAD_REQUEST',
    meaning: 'The OpenQASM text breaks the grammar; the message gives line and column.',
  },
  CIRCUIT_OPENQASM_INVALID: {
    answers: 'BAD_REQUEST',
    meaning: 'The OpenQASM text is grammatical but names something that is not there.',
  },
  CIRCUIT_OPENQASM_UNPRINTABLE: {
    answers: 'BAD_REQUEST',
    meaning: 'The circuit has a condition that OpenQASM 2 cannot express; OpenQASM 3 can.',
  },
  CIRCUIT_OPENQASM_UNSUPPORTED: {
    answers: 'BAD_REQUEST',
    meaning: 'The OpenQASM text uses a part of the language that this service does not run.',
  },
  COMPILER_KERNEL_TOO_WIDE: {
    answers: 'BAD_REQUEST',
    meaning: 'An operation acts on more qubits at once than what runs the circuit can take.',
  },
  CONFIG_INVALID: {
    answers: null,
    meaning: 'The environment has settings that cannot be used; the process does not start.',
  },
  ENGINE_BATCH_INVALID: {
    answers: 'BAD_REQUEST',
    meaning: 'Angles, seeds or sizes of a batch of circuits that do not fit their shape.',
  },
  ENGINE_CLOSED: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The engine was closed before the circuit had its turn.',
  },
  ENGINE_DEVICE_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The GPU went away while the circuit ran on it.',
  },
  ENGINE_GPU_FAULT: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The GPU refused work, or lacked memory in the middle of it.',
  },
  ENGINE_HELPER_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'A thread of the engine ended under its circuit; callers see FLEET_ENGINE_LOST.',
  },
  ENGINE_NO_ADAPTER: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'WebGPU found no adapter that it can open.',
  },
  ENGINE_OUTPUT_NEEDS_FINAL_STATE: {
    answers: 'BAD_REQUEST',
    meaning:
      'Amplitudes, probabilities or expectation values of a circuit that measures before its end.',
  },
  ENGINE_PROGRAM_TOO_WIDE: {
    answers: 'BAD_REQUEST',
    meaning: 'The circuit has more qubits than the engine holds on this machine.',
  },
  ENGINE_STATE_MEMORY: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The machine has less memory left than the state vector needs.',
  },
  ENGINE_TOO_MANY_BRANCHES: {
    answers: 'BAD_REQUEST',
    meaning: 'Measurements in the middle part the shots into more states than the memory holds.',
  },
  ENGINE_TOO_MANY_ROUNDS: {
    answers: 'BAD_REQUEST',
    meaning:
      'A shot went through more rounds of loops on measured bits than QCS_MAX_LOOP_ROUNDS allows.',
  },
  ENGINE_CLASSICAL_VALUE: {
    answers: 'BAD_REQUEST',
    meaning:
      'A value that a program computes from measured bits does not exist, such as a quotient by zero.',
  },
  ENGINE_TOO_MANY_OUTCOMES: {
    answers: 'BAD_REQUEST',
    meaning: 'The exact distribution over so many classical bits is not computed.',
  },
  FLEET_CIRCUIT_TOO_LONG: {
    answers: 'BAD_REQUEST',
    meaning: 'The circuit is expected to run for longer than `QCS_MAX_RUN_MINUTES`.',
  },
  FLEET_CIRCUIT_TOO_LARGE: {
    answers: 'BAD_REQUEST',
    meaning: 'The circuit has more qubits than the processor takes; the message has the memory.',
  },
  FLEET_CLOSED: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The service stopped while the circuit waited or ran.',
  },
  FLEET_ENGINE_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning:
      'What ran the circuit died under it three times while it ran nothing else (on adapters four times).',
  },
  FLEET_NO_WORKER: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'No engine can be started.',
  },
  FLEET_OUT_OF_MEMORY: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The machine has no memory left for the state vector.',
  },
  FLEET_PROCESSOR_UNAVAILABLE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The target is offline, in maintenance, or failed its last self-test.',
  },
  FLEET_QUEUE_FULL: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'As many circuits wait for the target as it lets wait.',
  },
  FLEET_WRONG_ADAPTER: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'A driver opened another adapter than it was told to.',
  },
  FLEET_WORKER_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'A worker ended under its circuit; callers see FLEET_ENGINE_LOST.',
  },
  JOBS_CANCELLED: {
    answers: 'INTERNAL_ERROR',
    meaning: 'Why the work of a cancelled job was aborted; no request is answered with it.',
  },
  JOBS_DAMAGED: {
    answers: 'INTERNAL_ERROR',
    meaning: 'What is stored of the job cannot be read; others are not touched by it.',
  },
  JOBS_DUPLICATE: {
    answers: 'INTERNAL_ERROR',
    meaning: 'A job id was used twice; callers never choose ids.',
  },
  JOBS_IDEMPOTENCY_CONFLICT: {
    answers: 'BAD_REQUEST',
    meaning: 'The Idempotency-Key was used before with another body.',
  },
  JOBS_INTERRUPTED: {
    answers: 'INTERNAL_ERROR',
    meaning:
      'The service died under the job, with little else running, so often that the job may be the cause (QCS_JOB_ATTEMPTS).',
  },
  JOBS_NO_HANDLER: {
    answers: 'INTERNAL_ERROR',
    meaning: 'Nothing in the process runs jobs of that kind.',
  },
  JOBS_NOT_FOUND: {
    answers: 'NOT_FOUND',
    meaning: 'No job of this key has that id.',
  },
  JOBS_NOT_RETRIABLE: {
    answers: 'BAD_REQUEST',
    meaning: 'The job waits, runs or is completed; only what failed or was cancelled is run again.',
  },
  JOBS_SHUTTING_DOWN: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The service is stopping and takes no new work.',
  },
  JOBS_TRANSITION: {
    answers: 'INTERNAL_ERROR',
    meaning: 'The life cycle has no such step; callers of the HTTP interface never cause it.',
  },
  SERVICE_AGENT_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'There is no such agent.' },
  SERVICE_BODY_MALFORMED: { answers: 'BAD_REQUEST', meaning: 'The body is not a JSON text.' },
  SERVICE_BODY_TOO_LARGE: {
    answers: 'BAD_REQUEST',
    meaning: 'The body is larger than the route takes, QCS_BODY_LIMIT_MIB at most.',
  },
  SERVICE_CONTENT_TYPE: {
    answers: 'BAD_REQUEST',
    meaning: 'The body is not declared as application/json.',
  },
  SERVICE_DEMO_BUSY: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'As many requests to the public demo are under way as it takes at once.',
  },
  SERVICE_DEMO_RATE_LIMIT: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'The address has used up its requests to the public demo of this minute.',
  },
  SERVICE_DEMO_UNAVAILABLE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The model of the public demo is not available; a key’s callers are told why.',
  },
  SERVICE_DEVICE_NOT_FOUND: {
    answers: 'NOT_FOUND',
    meaning: 'No device of the fleet has that id.',
  },
  SERVICE_HTTP_MALFORMED: {
    answers: 'BAD_REQUEST',
    meaning: 'The request line, a header or the framing of the body breaks HTTP.',
  },
  SERVICE_JOB_FAILED: {
    answers: 'INTERNAL_ERROR',
    meaning:
      'The job that the caller waited for failed; the detail carries its own code, and where that code answers 400 or 503, so does the request.',
  },
  SERVICE_JOB_NOT_FINISHED: {
    answers: 'BAD_REQUEST',
    meaning: 'A job that waits or runs, or is part of a plan that does, was to be deleted.',
  },
  SERVICE_IN_FLIGHT_LIMIT: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'As many circuits, or inferences, of the key wait or run as its tier allows at once.',
  },
  SERVICE_KEY_DAMAGED: {
    answers: 'INTERNAL_ERROR',
    meaning:
      'What is stored of the API key cannot be read; an administrator has to make a new one.',
  },
  SERVICE_KEY_EXPIRED: { answers: 'UNAUTHORIZED', meaning: 'The API key has expired.' },
  SERVICE_KEY_EXPIRY_IN_PAST: {
    answers: 'BAD_REQUEST',
    meaning: 'An API key would be made, or changed, to have expired already.',
  },
  SERVICE_KEY_INVALID: {
    answers: 'UNAUTHORIZED',
    meaning: 'The API key is unknown, misspelt or revoked.',
  },
  SERVICE_KEY_MISSING: { answers: 'UNAUTHORIZED', meaning: 'There is no X-API-Key header.' },
  SERVICE_KEY_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'No API key has that id.' },
  SERVICE_KEY_REVOKED: {
    answers: 'BAD_REQUEST',
    meaning: 'A revoked API key was to be changed or rotated; revocation is final.',
  },
  SERVICE_LAST_ADMIN_KEY: {
    answers: 'BAD_REQUEST',
    meaning:
      'The last valid API key with the scope `admin` was to be revoked or to lose the scope. `qcs keys` on the machine may do so.',
  },
  SERVICE_METHOD_NOT_FOUND: {
    answers: 'NOT_FOUND',
    meaning: 'The path exists but not with that method; the Allow header lists those it takes.',
  },
  SERVICE_MODEL_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'No model has that id.' },
  SERVICE_NO_DEVICES: {
    answers: 'NOT_FOUND',
    meaning: 'Devices were asked for of a processor that is no fleet.',
  },
  SERVICE_PROCESSOR_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'No processor has that id.' },
  SERVICE_RATE_LIMIT: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'The key has used up its requests of this minute.',
  },
  SERVICE_CALLER_GONE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The connection closed before the answer was out; nobody reads it.',
  },
  SERVICE_CANNOT_LISTEN: {
    answers: null,
    meaning: '`serve`: the address and port cannot be listened on.',
  },
  SERVICE_READER_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The process that reads the body ended again and again; a repeat may go through.',
  },
  SERVICE_READING_TIME: {
    answers: 'BAD_REQUEST',
    meaning: 'Reading the body took more CPU time than `QCS_READ_CPU_MS`.',
  },
  SERVICE_READING_MEMORY: {
    answers: 'BAD_REQUEST',
    meaning: 'Reading the body took more memory than a process that reads may have.',
  },
  SERVICE_KEY_READING_ROOM: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning:
      'Large bodies of the key that arrive or wait to be read fill a quarter of `QCS_READ_MIB`.',
  },
  SERVICE_READING_ROOM: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'Large bodies of all keys that arrive or wait to be read fill `QCS_READ_MIB`.',
  },
  SERVICE_RESULT_THREAD_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The thread that writes large results ended under this one; a repeat may go through.',
  },
  SERVICE_REQUEST_INVALID: {
    answers: 'BAD_REQUEST',
    meaning: 'A field of the body, query or headers is missing, unknown or out of range.',
  },
  SERVICE_ROUTE_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'Nothing is at that path.' },
  SERVICE_SCOPE_MISSING: {
    answers: 'FORBIDDEN',
    meaning: 'The API key lacks the scope that the endpoint needs.',
  },
  SERVICE_STORAGE_FULL: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The database takes as much as it may (QCS_STORAGE_MIB); nothing new is taken.',
  },
  SERVICE_STORAGE_QUOTA: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'The jobs and results of the key take as much as its tier may store.',
  },
  SERVICE_SYSTEM_NOT_FOUND: { answers: 'NOT_FOUND', meaning: 'There is no such system.' },
  SERVICE_PUBLIC_RATE_LIMIT: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'Too many requests for pages and documents came from one address within a minute.',
  },
  SERVICE_TOO_MANY_ATTEMPTS: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'Too many requests without a valid key came from one address within a minute.',
  },
  SERVICE_TOO_MANY_STREAMS: {
    answers: 'RATE_LIMIT_EXCEEDED',
    meaning: 'As many streams of events of the key are open as it may have at once.',
  },
  SERVICE_WORK_MEMORY: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning:
      'The inputs of the tasks or TPU jobs that wait or run take as much memory as they may.',
  },
  STORAGE_BACKUP_EXISTS: {
    answers: null,
    meaning: '`qcs backup`: the file exists, and is not overwritten.',
  },
  STORAGE_CANNOT_OPEN: {
    answers: null,
    meaning: '`serve`, `keys`: the data directory or its database cannot be opened.',
  },
  STORAGE_DATABASE_DAMAGED: {
    answers: null,
    meaning: '`serve`, `keys`: the database file cannot be read as one.',
  },
  STORAGE_DATABASE_MISSING: {
    answers: null,
    meaning: '`serve`, `keys`: there was a database, and its file is gone or empty.',
  },
  STORAGE_DISK_FULL: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The disk is nearly full: no new work is taken until there is room; reads go on.',
  },
  STORAGE_LOG_LOST: {
    answers: null,
    meaning:
      '`serve`, `keys`: the write-ahead log that has the last transactions is missing or damaged.',
  },
  STORAGE_UNWRITABLE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning:
      'The database cannot be written: no new work is taken until it can; reads go on, and outcomes wait.',
  },
  STORAGE_DATA_DIRECTORY_IN_USE: {
    answers: null,
    meaning: 'Another service runs on the same data directory; this one does not start.',
  },
  WORKLOADS_ARTEFACT_INVALID: {
    answers: null,
    meaning: 'The file of the trained model is missing or damaged; the process does not start.',
  },
  WORKLOADS_GATE_NOT_DIFFERENTIABLE: {
    answers: 'BAD_REQUEST',
    meaning: 'A parameter is to be trained through a gate that has no exact derivative here.',
  },
  WORKLOADS_INFERENCE_INVALID: {
    answers: 'BAD_REQUEST',
    meaning: 'Fields of an inference request are missing or out of range; each fault has its path.',
  },
  WORKLOADS_MODEL_UNAVAILABLE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The model failed its last self-test, is too busy, or has nothing that serves it.',
  },
  WORKLOADS_NOT_EQUIVALENT: {
    answers: 'INTERNAL_ERROR',
    meaning: 'A circuit that the design agent made failed its verification, and was not answered.',
  },
  WORKLOADS_PLAN_INPUT: {
    answers: 'BAD_REQUEST',
    meaning: 'What a task of a plan refers to is more than an input may have.',
  },
  WORKLOADS_PLAN_REFERENCE: {
    answers: 'BAD_REQUEST',
    meaning: 'A task of a plan refers to a part of a result that is not there.',
  },
  WORKLOADS_PLAN_TASK: {
    answers: 'BAD_REQUEST',
    meaning: 'A task of a plan failed or was cancelled; its own record says more.',
  },
  WORKLOADS_QUEUE_FULL: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'As many tasks and TPU jobs wait as may.',
  },
  WORKLOADS_TASK_DEADLINE: {
    answers: 'BAD_REQUEST',
    meaning: 'A task or TPU job was not through when its time was over.',
  },
  WORKLOADS_TASK_INPUT: {
    answers: 'BAD_REQUEST',
    meaning: 'The input of a task or TPU job cannot be worked on; the message names the place.',
  },
  WORKLOADS_TASK_LOST: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The process that ran a task or TPU job ended again and again.',
  },
  WORKLOADS_TASK_MEMORY: {
    answers: 'BAD_REQUEST',
    meaning: 'A task or TPU job took more memory than one may.',
  },
  WORKLOADS_TASK_RESULT: {
    answers: 'BAD_REQUEST',
    meaning: 'The result of a task or TPU job is larger than one that is stored.',
  },
  WORKLOADS_UNAVAILABLE: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'An agent or the TPU fleet failed its last self-test.',
  },
  WORKLOADS_UPSTREAM: {
    answers: 'SERVICE_UNAVAILABLE',
    meaning: 'The upstream of a model did not answer, or not in a way that can be used.',
  },
  WORKLOADS_UPSTREAM_REFUSED: {
    answers: 'BAD_REQUEST',
    meaning:
      'The upstream of a model says that the request is at fault, such as a prompt too long.',
  },
};

/** The specification's code for a class's code; what is not in the table is a bug and answers 500. */
export function specCodeOf(code: string): SpecCode {
  return ERROR_TABLE[code]?.answers ?? 'INTERNAL_ERROR';
}
