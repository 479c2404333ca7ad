/**
 * Settings from the environment, as one frozen Config. A setting is one record of SETTINGS: its variable, schema,
 * default and description. Its type in Config follows. All faults are reported together.
 *
 * The tables in docs/settings.md and `qcs serve --help` are generated from SETTINGS, so they always match the
 * code.
 */

import { z } from 'zod';
import { coded, type Fault } from './errors/coded-error.ts';
import { nearestNames } from './errors/nearest-names.ts';
import {
  addressList,
  baseUrl,
  choice,
  flag,
  fleetNodeList,
  integer,
  MIB,
  matching,
  mebibytes,
  originList,
  postgresUrl,
  seconds,
  secret,
  wordListOrNone,
} from './setting-schemas.ts';

/** Devices that `QCS_EMULATORS` may name. */
const EMULATED_DEVICES = ['ibm-fez', 'ibm-brisbane', 'iqm-garnet', 'google-willow'] as const;

interface Setting {
  /** Name of the value in Config. */
  readonly field: string;
  /** From the text of the variable to the value; a fixed default is a text as well (`prefault`). */
  readonly schema: z.ZodType;
  /** Default in documents, where it is neither a fixed text nor none. */
  readonly defaultText?: string;
  readonly description: string;
  /** True if the value may be a secret; messages never show it, even if it is invalid. */
  readonly isSecret?: true;
}

/** Settings by the name of their environment variable. */
export const SETTINGS = {
  QCS_HOST: {
    field: 'host',
    schema: matching(/./, 'must not be empty').prefault('127.0.0.1'),
    description: 'Address to listen on.',
  },
  QCS_PORT: {
    field: 'port',
    schema: integer(0, 65535).prefault('8080'),
    description: 'Port to listen on; 0 takes a free one.',
  },
  QCS_DATA_DIR: {
    field: 'dataDir',
    schema: matching(/./, 'must not be empty').prefault('./data'),
    description:
      'Folder of the SQLite database (keys, jobs) and of the measurements of GPU adapters. It is created if missing.',
  },
  QCS_DATABASE_URL: {
    field: 'databaseUrl',
    schema: postgresUrl.optional(),
    description:
      'PostgreSQL database that keeps everything in place of SQLite, such as `postgres://qcs:PASSWORD@db.example.com/qcs` ([cluster.md](cluster.md)). Services on one database are the nodes of a cluster. It is never shown.',
    isSecret: true,
  },
  QCS_ROLE: {
    field: 'role',
    schema: choice(['all', 'api', 'worker']).prefault('all'),
    description:
      'Part of this node in a cluster. `all`: it takes requests and runs jobs. `api`: it takes requests, and other nodes run the jobs. `worker`: it runs jobs, and takes no requests but those for its health and metrics.',
  },
  QCS_NODE_NAME: {
    field: 'nodeName',
    schema: matching(
      /^[A-Za-z0-9._-]{1,63}$/,
      'must be 1 to 63 letters, digits, dots, dashes or underscores',
    ).optional(),
    defaultText: 'name of the machine',
    description:
      'Name of this node in a cluster. Each node has its own, and keeps it over restarts.',
  },
  QCS_FLEET_NODES: {
    field: 'fleetNodes',
    schema: fleetNodeList.optional(),
    defaultText: 'all; in a cluster, the lowest that is free',
    description:
      'Which of the six nodes of the 48-GPU fleet this machine is, such as `0` or `2,4`. It serves their devices, eight each. In a cluster each belongs to one node.',
  },
  QCS_LEASE_S: {
    field: 'leaseMs',
    schema: seconds(2, 300).prefault('5'),
    description:
      'Time after which a node of a cluster that was not heard of is given up, and its jobs run elsewhere. All nodes should have the same.',
  },
  QCS_MIN_FREE_DISK_MIB: {
    field: 'minFreeDiskBytes',
    schema: mebibytes(0, 16 * MIB).prefault('256'),
    description:
      'Free space that the disk of the data directory must have. With less, the service refuses new work and says so; reads continue.',
  },
  QCS_STORAGE_MIB: {
    field: 'storageBytes',
    schema: mebibytes(16, 16 * MIB).prefault('65536'),
    description: 'Largest size of the database. Beyond it the service refuses new work.',
  },
  QCS_STORAGE_MIB_STANDARD: {
    field: 'storageBytesStandard',
    schema: mebibytes(1, 16 * MIB).prefault('1024'),
    description:
      'Space in the database for the jobs and results of one Standard key. Beyond it submissions are answered 429.',
  },
  QCS_STORAGE_MIB_ENTERPRISE: {
    field: 'storageBytesEnterprise',
    schema: mebibytes(1, 16 * MIB).prefault('16384'),
    description: 'Space in the database for the jobs and results of one Enterprise key.',
  },
  QCS_DURABILITY: {
    field: 'durability',
    schema: choice(['power-loss', 'process-crash']).prefault('power-loss'),
    description:
      'What accepted work survives. `power-loss`: a power cut; every answer waits until the disk has stored it. `process-crash`: the end of the process only. PostgreSQL always survives a power cut.',
  },
  QCS_ENGINE: {
    field: 'engine',
    schema: choice(['auto', 'webgpu', 'cpu']).prefault('auto'),
    description:
      'What `gpu-fleet` runs on. `auto`: a GPU if there is one, otherwise the CPU. `webgpu`: a GPU only. `cpu`: the CPU only.',
  },
  QCS_SOFTWARE_ADAPTERS: {
    field: 'useSoftwareAdapters',
    schema: flag.prefault('0'),
    description:
      '`1` also uses software Vulkan drivers as adapters, for tests. They are never reported as GPUs.',
  },
  QCS_THREADS: {
    field: 'numThreads',
    schema: integer(1, 256).optional(),
    defaultText: 'one per core',
    description:
      'Threads of the CPU engine. Circuits of up to 17 qubits use one thread each; wider ones use all threads.',
  },
  QCS_MEMORY_MIB: {
    field: 'memoryBytes',
    schema: mebibytes(16, 16 * MIB).optional(),
    defaultText: 'half of the machine’s memory',
    description:
      'Memory for the state vectors of all circuits together. It determines `max_qubits`.',
  },
  QCS_GPU_MEMORY_MIB: {
    field: 'gpuMemoryBytes',
    schema: mebibytes(16, 16 * MIB).optional(),
    defaultText: 'free memory',
    description:
      'Memory of one adapter for state vectors. Default on NVIDIA and AMD cards: the free memory that the driver reports, less 512 MiB; on other cards: one buffer. Software adapters share half of `QCS_MEMORY_MIB`.',
  },
  QCS_ENGINE_HEAP_MIB: {
    field: 'engineHeapMb',
    schema: integer(128, 65_536).optional(),
    defaultText: 'half of the machine’s memory by `QCS_THREADS`, 2048 to 4096',
    description:
      'JavaScript heap of each thread of the CPU engine, beside the state vectors. A circuit that needs more fails. A circuit of 1,000,000 gates needs up to 2,700.',
  },
  QCS_MAX_GATES: {
    field: 'maxGates',
    schema: integer(1, 1_000_000).prefault('1000000'),
    description: 'Maximum number of operations in a circuit.',
  },
  QCS_MAX_LOOP_ROUNDS: {
    field: 'maxRounds',
    schema: integer(1, 1_000_000_000).prefault('10000'),
    description:
      'Maximum number of iterations of loops on measured bits (`while` of OpenQASM 3) in one shot, all loops together. A circuit with a shot that takes more fails.',
  },
  QCS_MAX_RUN_MINUTES: {
    field: 'maxRunMs',
    schema: integer(1, 1_000_000)
      .transform((minutes) => minutes * 60_000)
      .prefault('120'),
    description:
      'Longest expected run time of a circuit. A circuit that is expected to take longer is refused. The estimate uses its qubits, gates and shots, and the runs measured so far.',
  },
  QCS_MAX_SHOTS: {
    field: 'maxShots',
    schema: integer(1, 1_000_000).prefault('1000000'),
    description: 'Maximum number of shots of a circuit.',
  },
  QCS_QUEUE_LIMIT: {
    field: 'queueLimit',
    schema: integer(1, 1_000_000).prefault('1000'),
    description:
      'Maximum number of waiting circuits; the same number of tasks and of TPU jobs. The next submission is answered 503.',
  },
  QCS_TASK_PROCESSES: {
    field: 'numTaskProcesses',
    schema: integer(1, 64).optional(),
    defaultText: 'one per core, 2 to 4',
    description:
      'Processes that run tasks of agents and TPU jobs, one at a time each. They are started on demand. While tasks wait for a processor, other tasks may run, in up to twice as many processes.',
  },
  QCS_TASK_MEMORY_MIB: {
    field: 'taskMemoryMb',
    schema: integer(64, 65_536).prefault('256'),
    description:
      'JavaScript heap of each process of `QCS_TASK_PROCESSES`. A task that needs more fails. The whole process may use twice this and 128 MiB more.',
  },
  QCS_WARM_UP: {
    field: 'warmsUp',
    schema: flag.prefault('1'),
    description:
      'Whether the service answers circuits of its own before `/readyz` says yes, and threads that have nothing to do after the start run some, so that the first callers’ circuits are as fast as later ones. They are neither stored nor counted. `0` suits services that live briefly, such as in CI: a start takes half as much processor time.',
  },
  QCS_BODY_LIMIT_MIB: {
    field: 'bodyLimitBytes',
    schema: mebibytes(1, 256).prefault('64'),
    description: 'Largest request body.',
  },
  QCS_READ_CPU_MS: {
    field: 'readCpuMs',
    schema: integer(10, 3_600_000).optional(),
    defaultText: '1000 per 100,000 of `QCS_MAX_GATES`',
    description:
      'CPU time for parsing and checking one request body; ten times as much for `POST /quantum/compile`. A body that takes longer is refused.',
  },
  QCS_READ_MIB: {
    field: 'readRoomBytes',
    schema: mebibytes(1, 1_048_576).prefault('256'),
    description:
      'Memory for request bodies of 64 KiB and more that are being received or parsed, over all keys; at least four times `QCS_BODY_LIMIT_MIB`. One key may use a quarter of it.',
  },
  QCS_REQUEST_TIMEOUT_S: {
    field: 'requestTimeoutMs',
    schema: seconds(1, 3600).prefault('60'),
    description:
      'Time for a request to arrive completely, and for a client to continue reading an answer. After it the connection is closed.',
  },
  QCS_MAX_CONNECTIONS: {
    field: 'maxConnections',
    schema: integer(1, 1_000_000).prefault('10000'),
    description: 'Maximum number of open connections. Further ones are closed.',
  },
  QCS_MAX_CONNECTIONS_PER_ADDRESS: {
    field: 'maxConnectionsOfAddress',
    schema: integer(1, 1_000_000).prefault('1000'),
    description:
      'Maximum number of open connections of one client address. Further ones are closed. Addresses in `QCS_TRUSTED_PROXIES` are exempt.',
  },
  QCS_RATE_LIMIT_STANDARD: {
    field: 'rateLimitStandard',
    schema: integer(1, 1_000_000_000).prefault('100'),
    description: 'Requests per minute of a Standard key.',
  },
  QCS_RATE_LIMIT_ENTERPRISE: {
    field: 'rateLimitEnterprise',
    schema: integer(1, 1_000_000_000).prefault('1000'),
    description: 'Requests per minute of an Enterprise key.',
  },
  QCS_DEMO_RATE_LIMIT: {
    field: 'demoRateLimit',
    schema: integer(1, 1_000_000).prefault('10'),
    description:
      'Requests per minute of one client address to the public demo, which needs no key.',
  },
  QCS_PUBLIC_RATE_LIMIT: {
    field: 'publicRateLimit',
    schema: integer(1, 1_000_000_000).prefault('600'),
    description:
      'Requests per minute of one client address to pages and documents, which need no key.',
  },
  QCS_IN_FLIGHT_STANDARD: {
    field: 'inFlightStandard',
    schema: integer(1, 1_000_000).prefault('200'),
    description:
      'Maximum number of waiting and running circuits of a Standard key; the same number of inferences, tasks and TPU jobs. The next one is answered 429.',
  },
  QCS_IN_FLIGHT_ENTERPRISE: {
    field: 'inFlightEnterprise',
    schema: integer(1, 1_000_000).prefault('500'),
    description: 'The same maximum for an Enterprise key.',
  },
  QCS_TRUSTED_PROXIES: {
    field: 'trustedProxies',
    schema: addressList.default([]),
    description: 'Proxies (addresses or CIDR ranges) whose `X-Forwarded-For` names the client.',
  },
  QCS_CORS_ORIGINS: {
    field: 'corsOrigins',
    schema: originList.default([]),
    description:
      'Origins, such as `https://app.example.com`, whose pages may call the service from a browser; `*` for all.',
  },
  QCS_METRICS_ADDRESSES: {
    field: 'metricsAddresses',
    schema: addressList.default([]),
    description:
      'Clients (addresses or CIDR ranges) that may read `/metrics` without a key. Others need a key with the scope `admin`.',
  },
  QCS_REVOKED_KEY_JOBS: {
    field: 'revokedKeyJobs',
    schema: choice(['finish', 'cancel']).prefault('finish'),
    description:
      'What happens to the waiting jobs of a revoked key. `finish`: they run. `cancel`: they are cancelled within a second. Running jobs finish in both cases.',
  },
  QCS_JOB_RETENTION_DAYS: {
    field: 'jobRetentionDays',
    schema: integer(1, 36_500).prefault('30'),
    description: 'Finished jobs older than this are deleted.',
  },
  QCS_JOB_ATTEMPTS: {
    field: 'jobAttempts',
    schema: integer(1, 1000).prefault('10'),
    description:
      'Number of crashes of the service after which the only job that was running fails as their likely cause. Jobs that ran beside others may be interrupted more often (docs/jobs.md).',
  },
  QCS_SHUTDOWN_GRACE_S: {
    field: 'shutdownGraceMs',
    schema: seconds(0, 3600).prefault('10'),
    description:
      'Time for running circuits to finish after SIGTERM. Those that do not finish are queued again.',
  },
  QCS_LLM_BASE_URL: {
    field: 'llmBaseUrl',
    schema: baseUrl.optional(),
    description:
      'Base URL of the OpenAI-compatible API that serves `llma-text`, such as `http://127.0.0.1:11434/v1`. Without it the model is unavailable and the other `QCS_LLM_` settings have no effect.',
    isSecret: true,
  },
  QCS_LLM_MODEL: {
    field: 'llmModel',
    schema: matching(/^\P{C}{1,200}$/u, 'must be 1 to 200 printable characters').optional(),
    defaultText: 'the only one listed',
    description: 'Model of the upstream. Required if the upstream’s `/models` lists more than one.',
  },
  QCS_LLM_API_KEY: {
    field: 'llmApiKey',
    schema: secret.optional(),
    description: 'Bearer token for the upstream. It is never shown.',
    isSecret: true,
  },
  QCS_LLM_TIMEOUT_S: {
    field: 'llmTimeoutMs',
    schema: seconds(1, 300).prefault('30'),
    description:
      'Longest time that a request waits for its turn, and then for the upstream’s answer.',
  },
  QCS_LLM_MAX_TOKENS: {
    field: 'llmMaxTokens',
    schema: integer(1, 32_768).prefault('1024'),
    description: 'Largest `max_tokens` that a caller may ask for.',
  },
  QCS_LLM_PROBE_S: {
    field: 'llmProbeMs',
    schema: seconds(10, 86_400).prefault('300'),
    description:
      'Time between self-tests of the upstream. Each is a completion of a few tokens. While they fail, they are repeated after 30 s at most.',
  },
  QCS_HARDWARE_PROVIDER: {
    field: 'hardwareProvider',
    schema: choice(['ibm', 'service']).optional(),
    description:
      'Provider of `superconducting-1`. `ibm`: a backend of IBM Quantum. `service`: a processor of another instance of this service. Without it the processor is offline and the other `QCS_HARDWARE_` settings have no effect.',
  },
  QCS_HARDWARE_URL: {
    field: 'hardwareUrl',
    schema: baseUrl.optional(),
    defaultText: '`https://quantum.cloud.ibm.com/api/v1` for `ibm`',
    description:
      'Base URL of the provider. Required for `service`: the origin of the other instance, such as `http://10.0.0.5:8080`.',
    isSecret: true,
  },
  QCS_HARDWARE_TOKEN: {
    field: 'hardwareToken',
    schema: secret.optional(),
    description:
      'API key of IBM Cloud, or API key of the other instance. It is required and never shown.',
    isSecret: true,
  },
  QCS_HARDWARE_BACKEND: {
    field: 'hardwareBackend',
    schema: matching(
      /^[A-Za-z0-9._-]{1,100}$/,
      'must be 1 to 100 letters, digits, dots, dashes or underscores',
    ).optional(),
    description:
      'Device of the provider, such as `ibm_fez`, or processor of the other instance, such as `emulator-iqm-garnet`. It is required.',
  },
  QCS_HARDWARE_INSTANCE: {
    field: 'hardwareInstance',
    schema: matching(
      /^crn:[\x21-\x7e]{1,500}$/,
      'must be a Cloud Resource Name that begins with crn:',
    ).optional(),
    description: 'Cloud Resource Name of the instance of IBM Quantum. Required for `ibm`.',
    isSecret: true,
  },
  QCS_HARDWARE_IAM_URL: {
    field: 'hardwareIamUrl',
    schema: baseUrl.prefault('https://iam.cloud.ibm.com'),
    description: 'Identity service that exchanges the API key of IBM Cloud for tokens.',
    isSecret: true,
  },
  QCS_HARDWARE_JOBS: {
    field: 'hardwareJobs',
    schema: integer(1, 1000).prefault('3'),
    description: 'Maximum number of jobs at the provider. Further circuits wait in this service.',
  },
  QCS_HARDWARE_REFRESH_S: {
    field: 'hardwareRefreshMs',
    schema: seconds(10, 86_400).prefault('300'),
    description:
      'Time between two looks at the device: its availability, limits, queue and calibration. While it is not available they are repeated after 60 s at most.',
  },
  QCS_HARDWARE_TIMEOUT_S: {
    field: 'hardwareTimeoutMs',
    schema: seconds(1, 300).prefault('30'),
    description: 'Time limit of one request to the provider.',
  },
  QCS_EMULATORS: {
    field: 'emulators',
    schema: wordListOrNone(EMULATED_DEVICES).default([...EMULATED_DEVICES]),
    defaultText: 'all',
    description: `Public devices to emulate, separated by commas: ${EMULATED_DEVICES.join(', ')}; \`none\` for none. Each is a processor \`emulator-NAME\` that fits circuits to the device and runs them under its noise, on the CPU.`,
  },
  QCS_LOG_LEVEL: {
    field: 'logLevel',
    schema: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).prefault('info'),
    description:
      'Lowest severity of the log lines that are written. `info` includes one line per request.',
  },
  QCS_LOG_FORMAT: {
    field: 'logFormat',
    schema: choice(['pretty', 'json']).optional(),
    defaultText: '`pretty` on a terminal, else `json`',
    description:
      'Form of log lines: for people, as `12:30:05 POST /api/v1/quantum/circuits 201 17.7 ms` (`pretty`), or one JSON object a line (`json`).',
  },
} as const satisfies Record<string, Setting>;

/** Name of a setting's environment variable. */
export type SettingName = keyof typeof SETTINGS;

type Settings = {
  readonly [K in SettingName as (typeof SETTINGS)[K]['field']]: z.output<
    (typeof SETTINGS)[K]['schema']
  >;
};

/** Settings of the process. */
export type Config = ReturnType<typeof loadConfig>;

/** Provider of hardware, its device and its limits. */
export type HardwareConfig = NonNullable<Config['hardware']>;

/** One or more settings are invalid. */
export class InvalidConfigError extends coded('CONFIG_INVALID', (faults: readonly Fault[]) => {
  const lines = faults.map((fault) => `  ${fault.path} ${fault.message}`);
  return {
    message: `The environment has settings that cannot be used:\n${lines.join('\n')}`,
    faults,
  };
}) {}

/**
 * Reads the settings. An empty variable counts as unset.
 *
 * @throws {InvalidConfigError} listing every fault.
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>) {
  const faults: Fault[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { field, schema, isSecret }] of Object.entries<Setting>(SETTINGS)) {
    const parsed = schema.safeParse(environment[name] || undefined);
    if (parsed.success) values[field] = parsed.data;
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
    ...settings,
    // The operations that a circuit may have, times two on a slow core.
    readCpuMs: settings.readCpuMs ?? Math.max(1000, settings.maxGates / 100),
    // For each of four keys at least one body of the greatest size.
    readRoomBytes: Math.max(settings.readRoomBytes, 4 * settings.bodyLimitBytes),
    storageLimits: {
      totalBytes: settings.storageBytes,
      standard: settings.storageBytesStandard,
      enterprise: settings.storageBytesEnterprise,
    },
    rateLimits: { standard: settings.rateLimitStandard, enterprise: settings.rateLimitEnterprise },
    inFlightLimits: {
      standard: settings.inFlightStandard,
      enterprise: settings.inFlightEnterprise,
    },
    textModel: textModelOf(settings),
    hardware: hardwareOf(settings),
  });
}

/** Upstream for text generation; undefined if none is configured. */
function textModelOf(settings: Settings) {
  if (settings.llmBaseUrl === undefined) return undefined;
  return Object.freeze({
    baseUrl: settings.llmBaseUrl,
    model: settings.llmModel,
    apiKey: settings.llmApiKey,
    timeoutMs: settings.llmTimeoutMs,
    maxTokens: settings.llmMaxTokens,
    probeIntervalMs: settings.llmProbeMs,
  });
}

const IBM_URL = 'https://quantum.cloud.ibm.com/api/v1';

/** Settings that the provider of hardware needs and that are missing. */
function missingHardwareSettings(settings: Settings): readonly Fault[] {
  const { hardwareProvider: provider } = settings;
  if (provider === undefined) return [];
  const needed = [
    'QCS_HARDWARE_TOKEN',
    'QCS_HARDWARE_BACKEND',
    provider === 'ibm' ? 'QCS_HARDWARE_INSTANCE' : 'QCS_HARDWARE_URL',
  ] as const;
  const message = `must be set, because QCS_HARDWARE_PROVIDER is ${provider}.`;
  return needed
    .filter((name) => settings[SETTINGS[name].field] === undefined)
    .map((path) => ({ path, message }));
}

/** A part in a cluster without a database that its nodes could share. */
function settingsOfClusters({ role, databaseUrl }: Settings): readonly Fault[] {
  if (role === 'all' || databaseUrl !== undefined) return [];
  return [{ path: 'QCS_ROLE', message: `is ${role}, which needs QCS_DATABASE_URL.` }];
}

/** Provider of hardware; undefined if none is configured. */
function hardwareOf(settings: Settings) {
  const {
    hardwareProvider: provider,
    hardwareToken: token = '',
    hardwareBackend: backend = '',
    hardwareInstance: instance = '',
  } = settings;
  if (provider === undefined) return undefined;
  const shared = {
    baseUrl: settings.hardwareUrl ?? IBM_URL,
    token,
    backend,
    maxJobs: settings.hardwareJobs,
    refreshMs: settings.hardwareRefreshMs,
    timeoutMs: settings.hardwareTimeoutMs,
  };
  return Object.freeze(
    provider === 'ibm'
      ? { ...shared, provider, instance, iamUrl: settings.hardwareIamUrl }
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

/** Default of a setting in documents. */
function defaultOf({ schema, defaultText }: Setting): string {
  if (defaultText !== undefined) return defaultText;
  return schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : 'none';
}

/** Formats the settings as a Markdown table for docs/settings.md. */
export function settingsMarkdown(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(
    ([name, setting]) => `| \`${name}\` | ${defaultOf(setting)} | ${setting.description} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Formats the settings as plain text for `--help`. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  return Object.entries<Setting>(SETTINGS)
    .map(
      ([name, setting]) =>
        `  ${name.padEnd(width)}  ${setting.description.replaceAll('`', '')} (default: ${defaultOf(setting)})`,
    )
    .join('\n');
}
