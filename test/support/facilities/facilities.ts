/**
 * Programs and drivers that some suites run on and that a machine may lack. Each is tried once, before
 * the first test: it counts as present when it was opened and computed something. What is missing skips
 * the suites that need it, and the last lines of the run say so.
 */

/** Vulkan drivers that compute on the CPU: part of their adapter's name, and where their descriptions are. */
export const DRIVERS = {
  lavapipe: {
    adapter: 'llvmpipe',
    paths: [
      '/usr/share/vulkan/icd.d/lvp_icd.json',
      '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json',
      '/usr/share/vulkan/icd.d/lvp_icd.aarch64.json',
    ],
  },
  SwiftShader: {
    adapter: 'SwiftShader',
    paths: ['/usr/lib/chromium/vk_swiftshader_icd.json'],
  },
} as const;

/** A software Vulkan driver. */
export type SoftwareDriver = keyof typeof DRIVERS;

/** Where a browser is looked for. */
export const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Options of each browser that is started, beside those that Playwright gives. */
export const BROWSER_FLAGS = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--no-proxy-server',
  '--disable-component-update',
];
/** Milliseconds after which an action in a page, or a navigation, fails that has not come about. */
export const WAIT_MS = 20_000;
/** The same for a browser that starts, also the first time on a machine, and for what a GPU in software computes. */
export const LONG_WAIT_MS = 90_000;

/** Name of Python's executable. */
export const PYTHON = 'python3';

/** Something that suites run on. */
export type Facility =
  | SoftwareDriver
  | 'Chromium'
  | 'WebGPU in Chromium'
  | 'Python 3'
  | 'httpx for Python'
  | 'numpy for Python'
  | 'curl'
  | 'PostgreSQL';

/** How a facility is come by. */
export interface FacilityRecord {
  /** Instruction for people: what to install. */
  readonly install: string;
  /** Where this variable is 1, the run fails if the facility is missing. */
  readonly requiredBy: string;
}

const INSTALLER = 'on Debian bookworm, .ci/install-vulkan-drivers does it';

/** All of them, in the order in which they are reported. */
const FACILITIES: Readonly<Record<Facility, FacilityRecord>> = {
  lavapipe: {
    install: `mesa-vulkan-drivers 24 or newer and libvulkan1 (${INSTALLER})`,
    requiredBy: 'QCS_TEST_REQUIRE_VULKAN',
  },
  SwiftShader: {
    install: `chromium and libvulkan1 (${INSTALLER})`,
    requiredBy: 'QCS_TEST_REQUIRE_VULKAN',
  },
  Chromium: {
    install: `chromium (${INSTALLER})`,
    requiredBy: 'QCS_TEST_REQUIRE_CHROMIUM',
  },
  'WebGPU in Chromium': {
    install: `chromium and libvulkan1 (${INSTALLER})`,
    requiredBy: 'QCS_TEST_REQUIRE_VULKAN',
  },
  'Python 3': {
    install: 'python3',
    requiredBy: 'QCS_TEST_REQUIRE_PYTHON',
  },
  'httpx for Python': {
    install: 'python3-httpx, or httpx with pip',
    requiredBy: 'QCS_TEST_REQUIRE_HTTPX',
  },
  'numpy for Python': {
    install: 'python3-numpy, or numpy with pip',
    requiredBy: 'QCS_TEST_REQUIRE_NUMPY',
  },
  curl: {
    install: 'curl',
    requiredBy: 'QCS_TEST_REQUIRE_CURL',
  },
  PostgreSQL: {
    install: 'postgresql 14 or newer (on Debian, .ci/install-postgresql does it)',
    requiredBy: 'QCS_TEST_REQUIRE_POSTGRESQL',
  },
};

/** A facility that was opened and computed. */
export interface Present {
  readonly isPresent: true;
  /** Absolute, of a driver's description for Vulkan, a browser or a folder of programs; the name of a command that is on the PATH. */
  readonly path: string;
}

/** A facility that did not. */
export interface Missing {
  readonly isPresent: false;
  /** Why, a sentence. */
  readonly reason: string;
}

/** Findings by facility. */
export type Found = Readonly<Record<Facility, Present | Missing>>;

/** A suite that was skipped, or would have been. */
export interface NeedySuite {
  readonly name: string;
  readonly needs: readonly Facility[];
  readonly numTests: number;
}

/** The facilities, as a list of their names. */
const FACILITY_NAMES = Object.keys(FACILITIES).filter(
  (name): name is Facility => name in FACILITIES,
);

/** Last lines of the run: one for each missing facility that suites needed. */
export function skippedLines(found: Found, suites: readonly NeedySuite[]): readonly string[] {
  return FACILITY_NAMES.flatMap((name) => {
    const facility = found[name];
    const skipped = suites.filter(({ needs }) => needs.includes(name));
    if (facility.isPresent || skipped.length === 0) return [];
    const numTests = skipped.reduce((sum, suite) => sum + suite.numTests, 0);
    const names = [...new Set(skipped.map((suite) => suite.name))].sort().join('; ');
    const { install } = FACILITIES[name];
    return `SKIPPED without ${name}: ${numTests} tests (${names}). ${facility.reason} To run them, install ${install}.`;
  });
}

/**
 * Why the run must not begin: facilities that the environment requires and that are missing, a line
 * each; undefined where all are there.
 */
export function unmetRequirement(
  found: Found,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const lines = FACILITY_NAMES.flatMap((name) => {
    const facility = found[name];
    const { requiredBy, install } = FACILITIES[name];
    if (facility.isPresent || environment[requiredBy] !== '1') return [];
    return `${requiredBy} is 1, but there is no ${name}. ${facility.reason} Install ${install}.`;
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
