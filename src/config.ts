/**
 * The environment as one frozen Config: one zod schema a setting, all faults reported together.
 *
 * The table in the README and the one that `qcs serve --help` prints are made from SETTINGS, so
 * they cannot differ from what is read.
 */
import { z } from 'zod';
import { CodedError, type Fault } from './errors/coded-error.ts';

const MIB = 1024 * 1024;

const integer = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d+$/, { error: `must be a whole number from ${min} to ${max}`, abort: true })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, { error: `must be at least ${min}` })
        .max(max, { error: `must be at most ${max}` }),
    );

const choice = <const T extends readonly [string, ...string[]]>(options: T) =>
  z.enum(options, { error: `must be one of ${options.join(', ')}` });

const flag = z.enum(['0', '1'], { error: 'must be 0 or 1' }).transform((value) => value === '1');

const addressList = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
  .pipe(
    z.array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
        error: 'must be IP addresses or CIDR ranges, separated by commas',
      }),
    ),
  );

interface Setting {
  readonly schema: z.ZodType;
  /** Shown in the documents where the default is not a fixed value. */
  readonly defaultText: string;
  readonly description: string;
}

/** Every setting, by the name of its environment variable. */
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
      'Folder of the SQLite database (keys, jobs) and of what was measured of GPU adapters; made if missing.',
  },
  QCS_ENGINE: {
    schema: choice(['auto', 'webgpu', 'cpu']).default('auto'),
    defaultText: 'auto',
    description:
      'What `gpu-fleet` runs on: a GPU where there is one and else the CPU (`auto`), a GPU or nothing (`webgpu`), the CPU (`cpu`).',
  },
  QCS_SOFTWARE_ADAPTERS: {
    schema: flag.default(false),
    defaultText: '0',
    description:
      '`1` takes software Vulkan drivers as adapters too, for tests; they are never called a GPU.',
  },
  QCS_THREADS: {
    schema: integer(1, 256).optional(),
    defaultText: 'one a core',
    description:
      'Threads of the CPU engine: so many circuits of up to 17 qubits run at the same time, and so many threads work on a wider one.',
  },
  QCS_MEMORY_MIB: {
    schema: integer(16, 16 * MIB).optional(),
    defaultText: 'half of the machine’s',
    description: 'Memory for state vectors, over all circuits; it decides `max_qubits`.',
  },
  QCS_GPU_MEMORY_MIB: {
    schema: integer(16, 16 * MIB).optional(),
    defaultText: 'what is free',
    description:
      'Memory of one adapter for state vectors. By default what its driver says is free, less 512 MiB, which is known of NVIDIA and AMD cards; of others one buffer. Software adapters share half of `QCS_MEMORY_MIB`.',
  },
  QCS_MAX_GATES: {
    schema: integer(1, 1_000_000).default(100_000),
    defaultText: '100000',
    description: 'Most operations of one circuit.',
  },
  QCS_MAX_SHOTS: {
    schema: integer(1, 1_000_000).default(1_000_000),
    defaultText: '1000000',
    description: 'Most shots of one circuit.',
  },
  QCS_QUEUE_LIMIT: {
    schema: integer(1, 1_000_000).default(1000),
    defaultText: '1000',
    description: 'Circuits that may wait; one more is answered 503.',
  },
  QCS_BODY_LIMIT_MIB: {
    schema: integer(1, 256).default(16),
    defaultText: '16',
    description: 'Largest request body.',
  },
  QCS_RATE_LIMIT_STANDARD: {
    schema: integer(1, 1_000_000_000).default(100),
    defaultText: '100',
    description: 'Requests a minute of a Standard key.',
  },
  QCS_RATE_LIMIT_ENTERPRISE: {
    schema: integer(1, 1_000_000_000).default(1000),
    defaultText: '1000',
    description: 'Requests a minute of an Enterprise key.',
  },
  QCS_IN_FLIGHT_STANDARD: {
    schema: integer(1, 1_000_000).default(200),
    defaultText: '200',
    description:
      'Circuits of a Standard key that may wait or run at once; one more is answered 429.',
  },
  QCS_IN_FLIGHT_ENTERPRISE: {
    schema: integer(1, 1_000_000).default(500),
    defaultText: '500',
    description: 'The same of an Enterprise key.',
  },
  QCS_TRUSTED_PROXIES: {
    schema: addressList.default([]),
    defaultText: 'none',
    description: 'Proxies (addresses or CIDR ranges) whose `X-Forwarded-For` names the client.',
  },
  QCS_JOB_RETENTION_DAYS: {
    schema: integer(1, 36_500).default(30),
    defaultText: '30',
    description: 'Finished jobs older than this are deleted.',
  },
  QCS_SHUTDOWN_GRACE_S: {
    schema: integer(0, 3600).default(10),
    defaultText: '10',
    description: 'Time that running circuits get to finish on SIGTERM; then they are queued again.',
  },
  QCS_LOG_LEVEL: {
    schema: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    defaultText: 'info',
    description: 'Least severe log lines to write; `info` has a line a request.',
  },
} as const satisfies Record<string, Setting>;

/** The environment variable of a setting. */
export type SettingName = keyof typeof SETTINGS;

type Settings = { readonly [K in SettingName]: z.output<(typeof SETTINGS)[K]['schema']> };

/** The settings the process runs with. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly engine: 'auto' | 'webgpu' | 'cpu';
  readonly useSoftwareAdapters: boolean;
  /** Small circuits at a time, and threads of a wide one; undefined: one a core. */
  readonly numThreads: number | undefined;
  /** Undefined: half of the machine's memory. */
  readonly memoryBytes: number | undefined;
  /** Of one adapter; undefined: what can be found out. */
  readonly gpuMemoryBytes: number | undefined;
  readonly maxGates: number;
  readonly maxShots: number;
  readonly queueLimit: number;
  readonly bodyLimitBytes: number;
  /** Requests a minute. */
  readonly rateLimits: { readonly standard: number; readonly enterprise: number };
  /** Circuits of one key that may wait or run at once. */
  readonly inFlightLimits: { readonly standard: number; readonly enterprise: number };
  readonly trustedProxies: readonly string[];
  readonly jobRetentionDays: number;
  readonly shutdownGraceMs: number;
  readonly logLevel: Settings['QCS_LOG_LEVEL'];
}

/** Settings that cannot be used, all of them. */
export class InvalidConfigError extends CodedError {
  readonly code = 'CONFIG_INVALID';

  constructor(faults: readonly Fault[]) {
    const lines = faults.map((fault) => `  ${fault.path} ${fault.message}`);
    super(`The environment has settings that cannot be used:\n${lines.join('\n')}`, faults);
  }
}

/**
 * Reads the settings. A variable set to the empty text counts as not set.
 *
 * @throws {InvalidConfigError} listing every fault.
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: Fault[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(SETTINGS)) {
    const parsed = schema.safeParse(environment[name] || undefined);
    if (parsed.success) values[name] = parsed.data;
    else {
      const message = parsed.error.issues[0]?.message ?? 'is not valid';
      faults.push({ path: name, message: `${message}, not "${environment[name]}".` });
    }
  }
  if (faults.length > 0) throw new InvalidConfigError(faults);
  // Checked: every name was parsed by its own schema above.
  const settings = values as Settings;
  return Object.freeze({
    host: settings.QCS_HOST,
    port: settings.QCS_PORT,
    dataDir: settings.QCS_DATA_DIR,
    engine: settings.QCS_ENGINE,
    useSoftwareAdapters: settings.QCS_SOFTWARE_ADAPTERS,
    numThreads: settings.QCS_THREADS,
    memoryBytes: settings.QCS_MEMORY_MIB === undefined ? undefined : settings.QCS_MEMORY_MIB * MIB,
    gpuMemoryBytes:
      settings.QCS_GPU_MEMORY_MIB === undefined ? undefined : settings.QCS_GPU_MEMORY_MIB * MIB,
    maxGates: settings.QCS_MAX_GATES,
    maxShots: settings.QCS_MAX_SHOTS,
    queueLimit: settings.QCS_QUEUE_LIMIT,
    bodyLimitBytes: settings.QCS_BODY_LIMIT_MIB * MIB,
    rateLimits: {
      standard: settings.QCS_RATE_LIMIT_STANDARD,
      enterprise: settings.QCS_RATE_LIMIT_ENTERPRISE,
    },
    inFlightLimits: {
      standard: settings.QCS_IN_FLIGHT_STANDARD,
      enterprise: settings.QCS_IN_FLIGHT_ENTERPRISE,
    },
    trustedProxies: settings.QCS_TRUSTED_PROXIES,
    jobRetentionDays: settings.QCS_JOB_RETENTION_DAYS,
    shutdownGraceMs: settings.QCS_SHUTDOWN_GRACE_S * 1000,
    logLevel: settings.QCS_LOG_LEVEL,
  });
}

/** QCS_ variables that are set and that nothing reads: most often a misspelling. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith('QCS_') && !name.startsWith('QCS_TEST_') && !(name in SETTINGS),
  );
}

/** The settings as a Markdown table, for the README. */
export function settingsMarkdown(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { defaultText, description }]) => `| \`${name}\` | ${defaultText} | ${description} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The settings as plain text, for `--help`. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(SETTINGS).map((name) => name.length));
  return Object.entries(SETTINGS)
    .map(
      ([name, { defaultText, description }]) =>
        `  ${name.padEnd(width)}  ${description.replaceAll('`', '')} (default: ${defaultText})`,
    )
    .join('\n');
}
