/**
 * Settings from the environment, as one frozen Config. Each setting has a zod schema; all faults are reported
 * together.
 *
 * The tables in docs/settings.md and `qcs serve --help` are generated from SETTINGS, so they always match the
 * code.
 */

import { z } from 'zod';
import { CodedError, type Fault } from './errors/coded-error.ts';
import { nearestNames } from './errors/nearest-names.ts';
import {
  addressList,
  baseUrl,
  choice,
  flag,
  fleetNodeList,
  integer,
  originList,
  postgresUrl,
  secret,
  wordListOrNone,
} from './setting-schemas.ts';

const MIB = 1024 * 1024;

/** Devices that `QCS_EMULATORS` may name. */
const EMULATED_DEVICES = ['ibm-fez', 'ibm-brisbane', 'iqm-garnet', 'google-willow'] as const;

interface Setting {
  readonly schema: z.ZodType;
  /** Text for documents if the default is not a fixed value. */
  readonly defaultText: string;
  readonly description: string;
  /** True if the value may be a secret; messages never show it, even if it is invalid. */
  readonly isSecret?: true;
}

/** Settings by the name of their environment variable. */
export const SETTINGS = {
  QCS_HOST: {
    schema: z.string().trim().min(1, { error: 'must not be empty' }).default('127.0.0.1'),
    defaultText: '127.0.0.1',
    description: 'Address to listen on.',
  },
  QCS_PORT: {
    schema: integer(0, 65535).default(8080),
    defaultText: '8080',
    description: 'Port to listen on; 0 takes a free one.',
  },
  QCS_DATA_DIR: {
    schema: z.string().trim().min(1, { error: 'must not be empty' }).default('./data'),
    defaultText: './data',
    description:
      'Folder of the SQLite database (keys, jobs) and of the measurements of GPU adapters. It is created if missing.',
  },
  QCS_DATABASE_URL: {
    schema: postgresUrl.optional(),
    defaultText: 'none',
    description:
      'PostgreSQL database that keeps everything in place of SQLite, such as `postgres://qcs:PASSWORD@db.example.com/qcs` ([cluster.md](cluster.md)). Services on one database are the nodes of a cluster. It is never shown.',
    isSecret: true,
  },
  QCS_ROLE: {
    schema: choice(['all', 'api', 'worker']).default('all'),
    defaultText: 'all',
    description:
      'Part of this node in a cluster. `all`: it takes requests and runs jobs. `api`: it takes requests, and other nodes run the jobs. `worker`: it runs jobs, and takes no requests but those for its health and metrics.',
  },
  QCS_NODE_NAME: {
    schema: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9._-]{1,63}$/, {
        error: 'must be 1 to 63 letters, digits, dots, dashes or underscores',
      })
      .optional(),
    defaultText: 'name of the machine',
    description:
      'Name of this node in a cluster. Each node has its own, and keeps it over restarts.',
  },
  QCS_FLEET_NODES: {
    schema: fleetNodeList.optional(),
    defaultText: 'all; in a cluster, the lowest that is free',
    description:
      'Which of the six nodes of the 48-GPU fleet this machine is, such as `0` or `2,4`. It serves their devices, eight each. In a cluster each belongs to one node.',
  },
  QCS_LEASE_S: {
    schema: integer(2, 300).default(5),
    defaultText: '5',
    description:
      'Time after which a node of a cluster that was not heard of is given up, and its jobs run elsewhere. All nodes should have the same.',
  },
  QCS_MIN_FREE_DISK_MIB: {
    schema: integer(0, 16 * MIB).default(256),
    defaultText: '256',
    description:
      'Free space that the disk of the data directory must have. With less, the service refuses new work and says so; reads continue.',
  },
  QCS_STORAGE_MIB: {
    schema: integer(16, 16 * MIB).default(65_536),
    defaultText: '65536',
    description: 'Largest size of the database. Beyond it the service refuses new work.',
  },
  QCS_STORAGE_MIB_STANDARD: {
    schema: integer(1, 16 * MIB).default(1024),
    defaultText: '1024',
    description:
      'Space in the database for the jobs and results of one Standard key. Beyond it submissions are answered 429.',
  },
  QCS_STORAGE_MIB_ENTERPRISE: {
    schema: integer(1, 16 * MIB).default(16_384),
    defaultText: '16384',
    description: 'Space in the database for the jobs and results of one Enterprise key.',
  },
  QCS_DURABILITY: {
    schema: choice(['power-loss', 'process-crash']).default('power-loss'),
    defaultText: 'power-loss',
    description:
      'What accepted work survives. `power-loss`: a power cut; every answer waits until the disk has stored it. `process-crash`: the end of the process only. PostgreSQL always survives a power cut.',
  },
  QCS_ENGINE: {
    schema: choice(['auto', 'webgpu', 'cpu']).default('auto'),
    defaultText: 'auto',
    description:
      'What `gpu-fleet` runs on. `auto`: a GPU if there is one, otherwise the CPU. `webgpu`: a GPU only. `cpu`: the CPU only.',
  },
  QCS_SOFTWARE_ADAPTERS: {
    schema: flag.default(false),
    defaultText: '0',
    description:
      '`1` also uses software Vulkan drivers as adapters, for tests. They are never reported as GPUs.',
  },
  QCS_THREADS: {
    schema: integer(1, 256).optional(),
    defaultText: 'one per core',
    description:
      'Threads of the CPU engine. Circuits of up to 17 qubits use one thread each; wider ones use all threads.',
  },
  QCS_MEMORY_MIB: {
    schema: integer(16, 16 * MIB).optional(),
    defaultText: 'half of the machine’s memory',
    description:
      'Memory for the state vectors of all circuits together. It determines `max_qubits`.',
  },
  QCS_GPU_MEMORY_MIB: {
    schema: integer(16, 16 * MIB).optional(),
    defaultText: 'free memory',
    description:
      'Memory of one adapter for state vectors. Default on NVIDIA and AMD cards: the free memory that the driver reports, less 512 MiB; on other cards: one buffer. Software adapters share half of `QCS_MEMORY_MIB`.',
  },
  QCS_ENGINE_HEAP_MIB: {
    schema: integer(128, 65_536).optional(),
    defaultText: 'half of the machine’s memory by `QCS_THREADS`, 2048 to 4096',
    description:
      'JavaScript heap of each thread of the CPU engine, beside the state vectors. A circuit that needs more fails. A circuit of 1,000,000 gates needs up to 2,700.',
  },
  QCS_MAX_GATES: {
    schema: integer(1, 1_000_000).default(1_000_000),
    defaultText: '1000000',
    description: 'Maximum number of operations in a circuit.',
  },
  QCS_MAX_LOOP_ROUNDS: {
    schema: integer(1, 1_000_000_000).default(10_000),
    defaultText: '10000',
    description:
      'Maximum number of iterations of loops on measured bits (`while` of OpenQASM 3) in one shot, all loops together. A circuit with a shot that takes more fails.',
  },
  QCS_MAX_RUN_MINUTES: {
    schema: integer(1, 1_000_000).default(120),
    defaultText: '120',
    description:
      'Longest expected run time of a circuit. A circuit that is expected to take longer is refused. The estimate uses its qubits, gates and shots, and the runs measured so far.',
  },
  QCS_MAX_SHOTS: {
    schema: integer(1, 1_000_000).default(1_000_000),
    defaultText: '1000000',
    description: 'Maximum number of shots of a circuit.',
  },
  QCS_QUEUE_LIMIT: {
    schema: integer(1, 1_000_000).default(1000),
    defaultText: '1000',
    description:
      'Maximum number of waiting circuits; the same number of tasks and of TPU jobs. The next submission is answered 503.',
  },
  QCS_TASK_PROCESSES: {
    schema: integer(1, 64).optional(),
    defaultText: 'one per core, 2 to 4',
    description:
      'Processes that run tasks of agents and TPU jobs, one at a time each. They are started on demand. While tasks wait for a processor, other tasks may run, in up to twice as many processes.',
  },
  QCS_TASK_MEMORY_MIB: {
    schema: integer(64, 65_536).default(256),
    defaultText: '256',
    description:
      'JavaScript heap of each process of `QCS_TASK_PROCESSES`. A task that needs more fails. The whole process may use twice this and 128 MiB more.',
  },
  QCS_WARM_UP: {
    schema: flag.default(true),
    defaultText: '1',
    description:
      'Whether the service answers circuits of its own before `/readyz` says yes, and threads that have nothing to do after the start run some, so that the first callers’ circuits are as fast as later ones. They are neither stored nor counted. `0` suits services that live briefly, such as in CI: a start takes half as much processor time.',
  },
  QCS_BODY_LIMIT_MIB: {
    schema: integer(1, 256).default(64),
    defaultText: '64',
    description: 'Largest request body.',
  },
  QCS_READ_CPU_MS: {
    schema: integer(10, 3_600_000).optional(),
    defaultText: '1000 per 100,000 of `QCS_MAX_GATES`',
    description:
      'CPU time for parsing and checking one request body; ten times as much for `POST /quantum/compile`. A body that takes longer is refused.',
  },
  QCS_READ_MIB: {
    schema: integer(1, 1_048_576).optional(),
    defaultText: '256',
    description:
      'Memory for request bodies of 64 KiB and more that are being received or parsed, over all keys; at least four times `QCS_BODY_LIMIT_MIB`. One key may use a quarter of it.',
  },
  QCS_REQUEST_TIMEOUT_S: {
    schema: integer(1, 3600).default(60),
    defaultText: '60',
    description:
      'Time for a request to arrive completely, and for a client to continue reading an answer. After it the connection is closed.',
  },
  QCS_MAX_CONNECTIONS: {
    schema: integer(1, 1_000_000).default(10_000),
    defaultText: '10000',
    description: 'Maximum number of open connections. Further ones are closed.',
  },
  QCS_MAX_CONNECTIONS_PER_ADDRESS: {
    schema: integer(1, 1_000_000).default(1000),
    defaultText: '1000',
    description:
      'Maximum number of open connections of one client address. Further ones are closed. Addresses in `QCS_TRUSTED_PROXIES` are exempt.',
  },
  QCS_RATE_LIMIT_STANDARD: {
    schema: integer(1, 1_000_000_000).default(100),
    defaultText: '100',
    description: 'Requests per minute of a Standard key.',
  },
  QCS_RATE_LIMIT_ENTERPRISE: {
    schema: integer(1, 1_000_000_000).default(1000),
    defaultText: '1000',
    description: 'Requests per minute of an Enterprise key.',
  },
  QCS_DEMO_RATE_LIMIT: {
    schema: integer(1, 1_000_000).default(10),
    defaultText: '10',
    description:
      'Requests per minute of one client address to the public demo, which needs no key.',
  },
  QCS_PUBLIC_RATE_LIMIT: {
    schema: integer(1, 1_000_000_000).default(600),
    defaultText: '600',
    description:
      'Requests per minute of one client address to pages and documents, which need no key.',
  },
  QCS_IN_FLIGHT_STANDARD: {
    schema: integer(1, 1_000_000).default(200),
    defaultText: '200',
    description:
      'Maximum number of waiting and running circuits of a Standard key; the same number of inferences, tasks and TPU jobs. The next one is answered 429.',
  },
  QCS_IN_FLIGHT_ENTERPRISE: {
    schema: integer(1, 1_000_000).default(500),
    defaultText: '500',
    description: 'The same maximum for an Enterprise key.',
  },
  QCS_TRUSTED_PROXIES: {
    schema: addressList.default([]),
    defaultText: 'none',
    description: 'Proxies (addresses or CIDR ranges) whose `X-Forwarded-For` names the client.',
  },
  QCS_CORS_ORIGINS: {
    schema: originList.default([]),
    defaultText: 'none',
    description:
      'Origins, such as `https://app.example.com`, whose pages may call the service from a browser; `*` for all.',
  },
  QCS_METRICS_ADDRESSES: {
    schema: addressList.default([]),
    defaultText: 'none',
    description:
      'Clients (addresses or CIDR ranges) that may read `/metrics` without a key. Others need a key with the scope `admin`.',
  },
  QCS_REVOKED_KEY_JOBS: {
    schema: choice(['finish', 'cancel']).default('finish'),
    defaultText: 'finish',
    description:
      'What happens to the waiting jobs of a revoked key. `finish`: they run. `cancel`: they are cancelled within a second. Running jobs finish in both cases.',
  },
  QCS_JOB_RETENTION_DAYS: {
    schema: integer(1, 36_500).default(30),
    defaultText: '30',
    description: 'Finished jobs older than this are deleted.',
  },
  QCS_JOB_ATTEMPTS: {
    schema: integer(1, 1000).default(10),
    defaultText: '10',
    description:
      'Number of crashes of the service after which the only job that was running fails as their likely cause. Jobs that ran beside others may be interrupted more often (docs/jobs.md).',
  },
  QCS_SHUTDOWN_GRACE_S: {
    schema: integer(0, 3600).default(10),
    defaultText: '10',
    description:
      'Time for running circuits to finish after SIGTERM. Those that do not finish are queued again.',
  },
  QCS_LLM_BASE_URL: {
    schema: baseUrl.optional(),
    defaultText: 'none',
    description:
      'Base URL of the OpenAI-compatible API that serves `llma-text`, such as `http://127.0.0.1:11434/v1`. Without it the model is unavailable and the other `QCS_LLM_` settings have no effect.',
    isSecret: true,
  },
  QCS_LLM_MODEL: {
    schema: z
      .string()
      .trim()
      .regex(/^\P{C}{1,200}$/u, { error: 'must be 1 to 200 printable characters' })
      .optional(),
    defaultText: 'the only one listed',
    description: 'Model of the upstream. Required if the upstream’s `/models` lists more than one.',
  },
  QCS_LLM_API_KEY: {
    schema: secret.optional(),
    defaultText: 'none',
    description: 'Bearer token for the upstream. It is never shown.',
    isSecret: true,
  },
  QCS_LLM_TIMEOUT_S: {
    schema: integer(1, 300).default(30),
    defaultText: '30',
    description:
      'Longest time that a request waits for its turn, and then for the upstream’s answer.',
  },
  QCS_LLM_MAX_TOKENS: {
    schema: integer(1, 32_768).default(1024),
    defaultText: '1024',
    description: 'Largest `max_tokens` that a caller may ask for.',
  },
  QCS_LLM_PROBE_S: {
    schema: integer(10, 86_400).default(300),
    defaultText: '300',
    description:
      'Time between self-tests of the upstream. Each is a completion of a few tokens. While they fail, they are repeated after 30 s at most.',
  },
  QCS_HARDWARE_PROVIDER: {
    schema: choice(['ibm', 'service']).optional(),
    defaultText: 'none',
    description:
      'Provider of `superconducting-1`. `ibm`: a backend of IBM Quantum. `service`: a processor of another instance of this service. Without it the processor is offline and the other `QCS_HARDWARE_` settings have no effect.',
  },
  QCS_HARDWARE_URL: {
    schema: baseUrl.optional(),
    defaultText: '`https://quantum.cloud.ibm.com/api/v1` for `ibm`',
    description:
      'Base URL of the provider. Required for `service`: the origin of the other instance, such as `http://10.0.0.5:8080`.',
    isSecret: true,
  },
  QCS_HARDWARE_TOKEN: {
    schema: secret.optional(),
    defaultText: 'none',
    description:
      'API key of IBM Cloud, or API key of the other instance. It is required and never shown.',
    isSecret: true,
  },
  QCS_HARDWARE_BACKEND: {
    schema: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9._-]{1,100}$/, {
        error: 'must be 1 to 100 letters, digits, dots, dashes or underscores',
      })
      .optional(),
    defaultText: 'none',
    description:
      'Device of the provider, such as `ibm_fez`, or processor of the other instance, such as `emulator-iqm-garnet`. It is required.',
  },
  QCS_HARDWARE_INSTANCE: {
    schema: z
      .string()
      .trim()
      .regex(/^crn:[\x21-\x7e]{1,500}$/, {
        error: 'must be a Cloud Resource Name that begins with crn:',
      })
      .optional(),
    defaultText: 'none',
    description: 'Cloud Resource Name of the instance of IBM Quantum. Required for `ibm`.',
    isSecret: true,
  },
  QCS_HARDWARE_IAM_URL: {
    schema: baseUrl.default('https://iam.cloud.ibm.com'),
    defaultText: 'https://iam.cloud.ibm.com',
    description: 'Identity service that exchanges the API key of IBM Cloud for tokens.',
    isSecret: true,
  },
  QCS_HARDWARE_JOBS: {
    schema: integer(1, 1000).default(3),
    defaultText: '3',
    description: 'Maximum number of jobs at the provider. Further circuits wait in this service.',
  },
  QCS_HARDWARE_REFRESH_S: {
    schema: integer(10, 86_400).default(300),
    defaultText: '300',
    description:
      'Time between two looks at the device: its availability, limits, queue and calibration. While it is not available they are repeated after 60 s at most.',
  },
  QCS_HARDWARE_TIMEOUT_S: {
    schema: integer(1, 300).default(30),
    defaultText: '30',
    description: 'Time limit of one request to the provider.',
  },
  QCS_EMULATORS: {
    schema: wordListOrNone(EMULATED_DEVICES).default([...EMULATED_DEVICES]),
    defaultText: 'all',
    description: `Public devices to emulate, separated by commas: ${EMULATED_DEVICES.join(', ')}; \`none\` for none. Each is a processor \`emulator-NAME\` that fits circuits to the device and runs them under its noise, on the CPU.`,
  },
  QCS_LOG_LEVEL: {
    schema: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    defaultText: 'info',
    description:
      'Lowest severity of the log lines that are written. `info` includes one line per request.',
  },
  QCS_LOG_FORMAT: {
    schema: choice(['pretty', 'json']).optional(),
    defaultText: '`pretty` on a terminal, else `json`',
    description:
      'Form of log lines: for people, as `12:30:05 POST /api/v1/quantum/circuits 201 17.7 ms` (`pretty`), or one JSON object a line (`json`).',
  },
} as const satisfies Record<string, Setting>;

/** Name of a setting's environment variable. */
export type SettingName = keyof typeof SETTINGS;

type Settings = { readonly [K in SettingName]: z.output<(typeof SETTINGS)[K]['schema']> };

/** Settings of the process. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** PostgreSQL database that is used in place of SQLite, and that the nodes of a cluster share. */
  readonly databaseUrl: string | undefined;
  /** Part of this node in a cluster. */
  readonly role: Settings['QCS_ROLE'];
  /** Name of this node in a cluster; undefined for the name of the machine. */
  readonly nodeName: string | undefined;
  /** Nodes of the fleet, 0 to 5, whose devices this machine serves; undefined to take what is free. */
  readonly fleetNodes: readonly number[] | undefined;
  /** Time after which a silent node is given up. */
  readonly leaseMs: number;
  /** Below this much free disk space, no work is accepted. */
  readonly minFreeDiskBytes: number;
  /** Limit of CPU time for reading a body, milliseconds. */
  readonly readCpuMs: number;
  /** Total size of large bodies that may arrive or be read at once, bytes. */
  readonly readRoomBytes: number;
  /** Greatest stored data, over all keys and by tier, bytes. */
  readonly storageLimits: {
    readonly totalBytes: number;
    readonly standard: number;
    readonly enterprise: number;
  };
  readonly durability: Settings['QCS_DURABILITY'];
  readonly engine: 'auto' | 'webgpu' | 'cpu';
  readonly useSoftwareAdapters: boolean;
  /** Number of small circuits at a time and threads of a wide one; undefined for one per core. */
  readonly numThreads: number | undefined;
  /** Memory for states, bytes; undefined for half of the machine's memory. */
  readonly memoryBytes: number | undefined;
  /** Memory of one adapter, bytes; undefined for the detected size. */
  readonly gpuMemoryBytes: number | undefined;
  /** JavaScript heap of a thread of the CPU engine, MB; undefined for a share of the machine's memory. */
  readonly engineHeapMb: number | undefined;
  readonly maxGates: number;
  readonly maxRounds: number;
  readonly maxRunMs: number;
  readonly maxShots: number;
  readonly queueLimit: number;
  /** Number of task processes; undefined for one per core, 2 to 4. */
  readonly numTaskProcesses: number | undefined;
  /** Whether what is idle after the start runs circuits of its own. */
  readonly warmsUp: boolean;
  /** JavaScript heap of each task process, MiB. */
  readonly taskMemoryMb: number;
  readonly bodyLimitBytes: number;
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsOfAddress: number;
  /** Requests per minute, by tier. */
  readonly rateLimits: { readonly standard: number; readonly enterprise: number };
  /** Requests per minute of one address to the public demo. */
  readonly demoRateLimit: number;
  /** Requests per minute of one address to pages and documents. */
  readonly publicRateLimit: number;
  /** Jobs of one kind and key that may wait or run at once, by tier. */
  readonly inFlightLimits: { readonly standard: number; readonly enterprise: number };
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the service from a browser. */
  readonly corsOrigins: readonly string[];
  /** Addresses that may read the metrics without a key. */
  readonly metricsAddresses: readonly string[];
  /** Treatment of the waiting jobs of a revoked key. */
  readonly revokedKeyJobs: Settings['QCS_REVOKED_KEY_JOBS'];
  readonly jobRetentionDays: number;
  /** Suspicion at which an interrupted job is given up. */
  readonly jobAttempts: number;
  readonly shutdownGraceMs: number;
  /** Upstream for text generation; undefined if none is configured. */
  readonly textModel:
    | {
        /** URL without a trailing slash. */
        readonly baseUrl: string;
        /** Model name; undefined for the only one that the upstream lists. */
        readonly model: string | undefined;
        readonly apiKey: string | undefined;
        readonly timeoutMs: number;
        readonly maxTokens: number;
        readonly probeIntervalMs: number;
      }
    | undefined;
  /** Provider of hardware; undefined if none is configured. */
  readonly hardware: HardwareConfig | undefined;
  /** Public devices to emulate. */
  readonly emulators: Settings['QCS_EMULATORS'];
  readonly logLevel: Settings['QCS_LOG_LEVEL'];
  /** Log format; undefined to choose by whether the log goes to a terminal. */
  readonly logFormat: Settings['QCS_LOG_FORMAT'];
}

/** Provider of hardware, its device and its limits. */
export type HardwareConfig = {
  /** URL without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string;
  readonly backend: string;
  readonly maxJobs: number;
  readonly refreshMs: number;
  readonly timeoutMs: number;
} & (
  | { readonly provider: 'service' }
  | { readonly provider: 'ibm'; readonly instance: string; readonly iamUrl: string }
);

/** One or more settings are invalid. */
export class InvalidConfigError extends CodedError {
  readonly code = 'CONFIG_INVALID';

  constructor(faults: readonly Fault[]) {
    const lines = faults.map((fault) => `  ${fault.path} ${fault.message}`);
    super(`The environment has settings that cannot be used:\n${lines.join('\n')}`, faults);
  }
}

/**
 * Reads the settings. An empty variable counts as unset.
 *
 * @throws {InvalidConfigError} listing every fault.
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: Fault[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, isSecret }] of Object.entries<Setting>(SETTINGS)) {
    const parsed = schema.safeParse(environment[name] || undefined);
    if (parsed.success) values[name] = parsed.data;
    else {
      const message = parsed.error.issues[0]?.message ?? 'is not valid';
      const found = isSecret ? '' : `, not "${environment[name]}"`;
      faults.push({ path: name, message: `${message}${found}.` });
    }
  }
  for (const name of unknownSettings(environment)) {
    faults.push({ path: name, message: `is no setting.${nearSettings(name)}` });
  }
  // The cast is safe where there is no fault: every value was parsed by its own schema above.
  const settings = values as Settings;
  if (faults.length === 0) {
    faults.push(...missingHardwareSettings(settings), ...settingsOfClusters(settings));
  }
  if (faults.length > 0) throw new InvalidConfigError(faults);
  return Object.freeze({
    host: settings.QCS_HOST,
    port: settings.QCS_PORT,
    dataDir: settings.QCS_DATA_DIR,
    databaseUrl: settings.QCS_DATABASE_URL,
    role: settings.QCS_ROLE,
    nodeName: settings.QCS_NODE_NAME,
    fleetNodes: settings.QCS_FLEET_NODES,
    leaseMs: settings.QCS_LEASE_S * 1000,
    minFreeDiskBytes: settings.QCS_MIN_FREE_DISK_MIB * MIB,
    storageLimits: {
      totalBytes: settings.QCS_STORAGE_MIB * MIB,
      standard: settings.QCS_STORAGE_MIB_STANDARD * MIB,
      enterprise: settings.QCS_STORAGE_MIB_ENTERPRISE * MIB,
    },
    durability: settings.QCS_DURABILITY,
    engine: settings.QCS_ENGINE,
    useSoftwareAdapters: settings.QCS_SOFTWARE_ADAPTERS,
    numThreads: settings.QCS_THREADS,
    memoryBytes: settings.QCS_MEMORY_MIB === undefined ? undefined : settings.QCS_MEMORY_MIB * MIB,
    gpuMemoryBytes:
      settings.QCS_GPU_MEMORY_MIB === undefined ? undefined : settings.QCS_GPU_MEMORY_MIB * MIB,
    engineHeapMb: settings.QCS_ENGINE_HEAP_MIB,
    maxGates: settings.QCS_MAX_GATES,
    maxRounds: settings.QCS_MAX_LOOP_ROUNDS,
    maxRunMs: settings.QCS_MAX_RUN_MINUTES * 60_000,
    maxShots: settings.QCS_MAX_SHOTS,
    queueLimit: settings.QCS_QUEUE_LIMIT,
    numTaskProcesses: settings.QCS_TASK_PROCESSES,
    warmsUp: settings.QCS_WARM_UP,
    taskMemoryMb: settings.QCS_TASK_MEMORY_MIB,
    bodyLimitBytes: settings.QCS_BODY_LIMIT_MIB * MIB,
    readCpuMs: settings.QCS_READ_CPU_MS ?? readCpuMs(settings),
    readRoomBytes: MIB * readRoomMib(settings),
    requestTimeoutMs: settings.QCS_REQUEST_TIMEOUT_S * 1000,
    maxConnections: settings.QCS_MAX_CONNECTIONS,
    maxConnectionsOfAddress: settings.QCS_MAX_CONNECTIONS_PER_ADDRESS,
    rateLimits: {
      standard: settings.QCS_RATE_LIMIT_STANDARD,
      enterprise: settings.QCS_RATE_LIMIT_ENTERPRISE,
    },
    demoRateLimit: settings.QCS_DEMO_RATE_LIMIT,
    publicRateLimit: settings.QCS_PUBLIC_RATE_LIMIT,
    inFlightLimits: {
      standard: settings.QCS_IN_FLIGHT_STANDARD,
      enterprise: settings.QCS_IN_FLIGHT_ENTERPRISE,
    },
    trustedProxies: settings.QCS_TRUSTED_PROXIES,
    corsOrigins: settings.QCS_CORS_ORIGINS,
    metricsAddresses: settings.QCS_METRICS_ADDRESSES,
    revokedKeyJobs: settings.QCS_REVOKED_KEY_JOBS,
    jobRetentionDays: settings.QCS_JOB_RETENTION_DAYS,
    jobAttempts: settings.QCS_JOB_ATTEMPTS,
    shutdownGraceMs: settings.QCS_SHUTDOWN_GRACE_S * 1000,
    textModel: textModelOf(settings),
    hardware: hardwareOf(settings),
    emulators: settings.QCS_EMULATORS,
    logLevel: settings.QCS_LOG_LEVEL,
    logFormat: settings.QCS_LOG_FORMAT,
  });
}

function textModelOf(settings: Settings): Config['textModel'] {
  if (settings.QCS_LLM_BASE_URL === undefined) return undefined;
  return Object.freeze({
    baseUrl: settings.QCS_LLM_BASE_URL,
    model: settings.QCS_LLM_MODEL,
    apiKey: settings.QCS_LLM_API_KEY,
    timeoutMs: settings.QCS_LLM_TIMEOUT_S * 1000,
    maxTokens: settings.QCS_LLM_MAX_TOKENS,
    probeIntervalMs: settings.QCS_LLM_PROBE_S * 1000,
  });
}

const IBM_URL = 'https://quantum.cloud.ibm.com/api/v1';

/** Settings that the provider of hardware needs and that are missing. */
function missingHardwareSettings(settings: Settings): readonly Fault[] {
  const { QCS_HARDWARE_PROVIDER: provider } = settings;
  if (provider === undefined) return [];
  const needed = [
    'QCS_HARDWARE_TOKEN',
    'QCS_HARDWARE_BACKEND',
    provider === 'ibm' ? 'QCS_HARDWARE_INSTANCE' : 'QCS_HARDWARE_URL',
  ] as const;
  const message = `must be set, because QCS_HARDWARE_PROVIDER is ${provider}.`;
  return needed.filter((name) => settings[name] === undefined).map((path) => ({ path, message }));
}

/** A part in a cluster without a database that its nodes could share. */
function settingsOfClusters({ QCS_ROLE: role, QCS_DATABASE_URL: url }: Settings): readonly Fault[] {
  if (role === 'all' || url !== undefined) return [];
  return [{ path: 'QCS_ROLE', message: `is ${role}, which needs QCS_DATABASE_URL.` }];
}

function hardwareOf(settings: Settings): HardwareConfig | undefined {
  const {
    QCS_HARDWARE_PROVIDER: provider,
    QCS_HARDWARE_TOKEN: token = '',
    QCS_HARDWARE_BACKEND: backend = '',
    QCS_HARDWARE_INSTANCE: instance = '',
  } = settings;
  if (provider === undefined) return undefined;
  const shared = {
    baseUrl: settings.QCS_HARDWARE_URL ?? IBM_URL,
    token,
    backend,
    maxJobs: settings.QCS_HARDWARE_JOBS,
    refreshMs: settings.QCS_HARDWARE_REFRESH_S * 1000,
    timeoutMs: settings.QCS_HARDWARE_TIMEOUT_S * 1000,
  };
  return Object.freeze(
    provider === 'ibm'
      ? { ...shared, provider, instance, iamUrl: settings.QCS_HARDWARE_IAM_URL }
      : { ...shared, provider },
  );
}

const PREFIX = 'QCS_';

/** Variables of `qcs submit` and `qcs jobs`, which may share an environment with the service. */
const OF_CLIENTS = ['QCS_URL', 'QCS_API_KEY'];

/** Variables that tests and benchmarks read. */
const OF_TOOLS = /^QCS_(?:TEST|BENCH|SESSION)_/;

/** Set QCS_ variables that nothing reads, usually misspellings. */
function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.keys(environment).filter(
    (name) =>
      environment[name] &&
      name.startsWith(PREFIX) &&
      !OF_TOOLS.test(name) &&
      !(Object.hasOwn(SETTINGS, name) || OF_CLIENTS.includes(name)),
  );
}

/** Suggests similar names for a misspelt setting, or says where the names are listed. */
function nearSettings(name: string): string {
  // Compare without the common prefix, which would make every name look similar.
  const known = [...Object.keys(SETTINGS), ...OF_CLIENTS].map((each) => each.slice(PREFIX.length));
  const given = name.slice(PREFIX.length);
  const near = nearestNames(given, known);
  // RATE_LIMIT and RATE_LIMIT_STANDARD differ by many letters.
  const longer = known
    .filter((each) => each.startsWith(`${given}_`) || each.endsWith(`_${given}`))
    .slice(0, 3);
  const meant = (near.length > 0 ? near : longer).map((each) => PREFIX + each);
  if (meant.length > 0) return ` Did you mean ${meant.join(' or ')}?`;
  return ' Unset it; `qcs serve --help` lists the settings.';
}

/** Settings that others need, by the beginning of their names. */
const GROUPS: Readonly<Record<string, SettingName>> = {
  QCS_NODE_NAME: 'QCS_DATABASE_URL',
  QCS_LEASE_S: 'QCS_DATABASE_URL',
  QCS_LLM_: 'QCS_LLM_BASE_URL',
  QCS_HARDWARE_: 'QCS_HARDWARE_PROVIDER',
};

/** Settings that are set although the setting that they need is not. */
export function settingsWithoutEffect(
  environment: Readonly<Record<string, string | undefined>>,
): readonly { readonly name: string; readonly needs: SettingName }[] {
  return Object.entries(GROUPS).flatMap(([prefix, needs]) => {
    if (environment[needs]) return [];
    const set = Object.keys(SETTINGS).filter(
      (name) => name.startsWith(prefix) && environment[name],
    );
    return set.map((name) => ({ name, needs }));
  });
}

/** Formats the settings as a Markdown table for docs/settings.md. */
export function settingsMarkdown(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { defaultText, description }]) => `| \`${name}\` | ${defaultText} | ${description} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Formats the settings as plain text for `--help`. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  return Object.entries(SETTINGS)
    .map(
      ([name, { defaultText, description }]) =>
        `  ${name.padEnd(width)}  ${description.replaceAll('`', '')} (default: ${defaultText})`,
    )
    .join('\n');
}

/** Default room for bodies: for each of four keys at least one body of the greatest size. */
function readRoomMib({ QCS_READ_MIB, QCS_BODY_LIMIT_MIB }: Settings): number {
  return Math.max(QCS_READ_MIB ?? 256, 4 * QCS_BODY_LIMIT_MIB);
}

/** Default time limit for reading: the operations that a circuit may have, times two on a slow core. */
function readCpuMs({ QCS_MAX_GATES }: Settings): number {
  return Math.max(1000, QCS_MAX_GATES / 100);
}
