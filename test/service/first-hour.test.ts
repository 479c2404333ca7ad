// @needs service
/**
 * Mistakes that newcomers make, and what they are answered. The answers are those of a real service and of
 * the command line, and docs/first-hour.md is made of them: `vitest run test/service/first-hour.test.ts -u`
 * writes it again where they have changed.
 */
import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import { z } from 'zod';
import { faultSentence } from '../../src/errors/fault-path.ts';
import { runQcs } from '../support/command-line.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';
import { type SharedService, test } from '../support/shared-service.ts';

/** A mistake: what is typed, in one of the places where something can be. */
interface Mistake {
  readonly title: string;
  /** Explanation that the answer lacks. */
  readonly note?: string;
  /** Gate objects, with other fields of the body. */
  readonly circuit?: readonly object[];
  readonly fields?: object;
  /** The whole body, as text. */
  readonly body?: string;
  readonly qasm?: string;
  /** Headers of a request, in place of the right ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  /** A command line. */
  readonly command?: string;
  /** Settings of a service that is started. */
  readonly start?: Readonly<Record<string, string>>;
}

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const JSON_TYPE = { 'Content-Type': 'application/json' };
const KEY = { 'X-API-Key': '$QCS_API_KEY' };
/** Type that curl gives a body when none is named. */
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const bodyOf = (fields: object) =>
  JSON.stringify({ circuit: BELL, target_processor: 'statevector-sim', shots: 100, ...fields });

const CHAPTERS: readonly (readonly [title: string, mistakes: readonly Mistake[]])[] = [
  [
    'Circuits in JSON',
    [
      { title: 'An angle as text', circuit: [{ gate: 'RX', qubit: 0, theta: 'pi/2' }] },
      { title: 'An angle in degrees', circuit: [{ gate: 'RX', qubit: 0, theta: '90°' }] },
      { title: 'An angle under another name', circuit: [{ gate: 'RX', qubit: 0, angle: 1.57 }] },
      { title: 'A misspelt gate', circuit: [{ gate: 'CNOTT', control: 0, target: 1 }] },
      {
        title: 'Qubits counted from 1',
        note: 'Without `qubits` the circuit would be three qubits wide, and qubit 0 would stay 0.',
        circuit: [
          { gate: 'H', qubit: 1 },
          { gate: 'CX', control: 1, target: 2 },
        ],
        fields: { qubits: 2 },
      },
      { title: 'One qubit named twice', circuit: [{ gate: 'CX', control: 0, target: 0 }] },
      { title: 'Two qubits for a one-qubit gate', circuit: [{ gate: 'H', qubits: [0, 1] }] },
      { title: 'No shots', circuit: BELL, fields: { shots: 0 } },
      { title: 'A misspelt field', circuit: BELL, fields: { sedd: 7 } },
      {
        title: 'The name of another simulator',
        circuit: BELL,
        fields: { target_processor: 'statevector_simulator' },
      },
      { title: 'More qubits than the memory holds', circuit: [{ gate: 'H', qubit: 40 }] },
      {
        title: 'A state vector with a mid-circuit measurement',
        circuit: [
          { gate: 'H', qubit: 0 },
          { gate: 'M', qubits: [0] },
          { gate: 'H', qubit: 0 },
        ],
        fields: { return: ['statevector'] },
      },
      {
        title: 'No measurement',
        note: 'This is not a mistake: the service measures all qubits at the end of a circuit without measurements.',
        circuit: [{ gate: 'X', qubit: 0 }],
      },
      {
        title: 'Outcomes read from the left',
        note: 'X is on qubit 0 of two. Qubit 0 is the rightmost character, as in Qiskit; Braket and Cirq write it first.',
        circuit: [{ gate: 'X', qubit: 0 }],
        fields: { qubits: 2 },
      },
      {
        title: 'A comma at the end',
        body: '{"circuit":[{"gate":"H","qubit":0},],"target_processor":"statevector-sim","shots":100}',
      },
      {
        title: 'A Python dictionary',
        note: '`json.dumps` writes it as JSON.',
        body: "{'circuit': [{'gate': 'H', 'qubit': 0}], 'target_processor': 'statevector-sim', 'shots': 100}",
      },
    ],
  ],
  [
    'OpenQASM',
    [
      {
        title: 'A misspelt gate',
        qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nh q[0];\ncxx q[0], q[1];\n',
      },
      {
        title: 'A missing include',
        qasm: 'OPENQASM 3.0;\nqubit[2] q;\nh q[0];\ncx q[0], q[1];\n',
      },
      {
        title: 'Gates of OpenQASM 2 in a program of OpenQASM 3',
        note: 'This is not a mistake: either include defines the gates of OpenQASM 2 and 3, and further ones that exporters write.',
        qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nx q[0];\ncu1(pi/2) q[0], q[1];\n',
      },
      { title: 'A missing semicolon', qasm: 'OPENQASM 3.0;\nqubit[2] q\nh q[0];\n' },
      {
        title: 'An undeclared register',
        qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nh r[0];\n',
      },
      {
        title: 'An index counted from 1',
        qasm: 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\nh q[1];\ncx q[1], q[2];\n',
      },
      {
        title: 'An input without its value',
        qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput angle phase;\nqubit q;\nrz(phase) q;\n',
      },
    ],
  ],
  [
    'Keys and requests',
    [
      { title: 'No key', body: bodyOf({}), headers: JSON_TYPE },
      {
        title: 'The key in another header',
        body: bodyOf({}),
        headers: { Authorization: 'Bearer $QCS_API_KEY', ...JSON_TYPE },
      },
      {
        title: 'A key that was not copied whole',
        body: bodyOf({}),
        headers: { 'X-API-Key': 'qcs_0123456789abcdef', ...JSON_TYPE },
      },
      {
        title: 'No content type',
        note: 'With `-d` alone, curl sends the content type of a form.',
        body: bodyOf({}),
        headers: KEY,
      },
      {
        title: 'A path that is nearly right',
        body: bodyOf({}),
        headers: { ...KEY, ...JSON_TYPE },
        path: '/api/quantum/circuit',
      },
    ],
  ],
  [
    'The command line',
    [
      { title: 'A file that is not there', command: 'run examples/bell.qsm' },
      { title: 'A misspelt option', command: 'run examples/bell.qasm --shot 100' },
      { title: 'A misspelt command', command: 'sumbit examples/bell.qasm' },
      { title: 'A gate of another name', command: 'gates CNOTT' },
      { title: 'A key that is not set', command: 'submit examples/bell.qasm' },
      {
        title: 'A service that is not running',
        command: 'submit examples/bell.qasm --url http://127.0.0.1:65535',
      },
    ],
  ],
  [
    'Starting the service',
    [
      { title: 'A misspelt setting', start: { QCS_PROT: '9000' } },
      { title: 'A port that is in use', start: { QCS_PORT: '8080' } },
      { title: 'A folder that cannot be created', start: { QCS_DATA_DIR: '/proc/qcs' } },
    ],
  ],
];

let service: SharedService;

test.beforeAll(({ service: shared }) => {
  service = shared;
});

const answered = z.object({
  data: z.object({ counts: z.record(z.string(), z.int()) }).optional(),
  error: z
    .object({
      message: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    })
    .optional(),
});

test('docs/first-hour.md shows what newcomers type and what they are answered', async () => {
  const parts: string[] = [INTRODUCTION];
  let number = 0;
  for (const [chapter, mistakes] of CHAPTERS) {
    parts.push(`## ${chapter}`);
    for (const mistake of mistakes) {
      const { title, note } = mistake;
      parts.push(`### ${++number}. ${title}`, typedText(mistake), await answerTo(mistake));
      if (note !== undefined) parts.push(note);
    }
  }
  expect(number).toBeGreaterThanOrEqual(20);
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('../../docs/first-hour.md');
});

const INTRODUCTION = `# The first hour

Mistakes that newcomers make, and the answers of the service. A test sends each of them, and this page shows what it received.
Requests go to \`POST /api/v1/quantum/circuits\`, and the key is in \`QCS_API_KEY\`, as
[README](../README.md) says. A body shows only the fields that matter; the others are the circuit of a Bell pair,
\`"target_processor":"statevector-sim"\` and \`"shots":100\`. The service has \`QCS_MEMORY_MIB=1024\`.`;

function typedText({
  circuit,
  fields,
  body,
  qasm,
  headers,
  path,
  command,
  start,
}: Mistake): string {
  if (command !== undefined) return fenced('sh', `npx qcs ${command}`);
  if (start !== undefined) {
    const set = Object.entries(start).map(([name, value]) => `${name}=${value}`);
    return fenced('sh', `${set.join(' ')} npm start`);
  }
  if (qasm !== undefined) return fenced('text', qasm.trimEnd());
  if (headers !== undefined) {
    const lines = Object.entries(headers).map(([name, value]) => `  -H "${name}: ${value}"`);
    const url = `curl http://127.0.0.1:8080${path ?? '/api/v1/quantum/circuits'}`;
    return fenced('sh', [url, ...lines, "  -d '{…}'"].join(' \\\n'));
  }
  if (body !== undefined) return fenced('json', body);
  const shown = { ...(circuit !== BELL && { circuit }), ...fields };
  return fenced('json', JSON.stringify(shown));
}

async function answerTo(mistake: Mistake): Promise<string> {
  const { command, start } = mistake;
  if (command !== undefined) return fenced('text', await commandAnswer(command));
  if (start !== undefined) return fenced('text', await startAnswer(start));
  const { circuit, fields, qasm, headers, path = '/api/v1/quantum/circuits' } = mistake;
  const own = qasm === undefined ? { circuit } : { circuit: undefined, qasm };
  const sent = headers === undefined ? { ...KEY, ...JSON_TYPE } : { ...FORM, ...headers };
  const withKey = Object.entries(sent).map(([name, value]) => [
    name,
    value.replace('$QCS_API_KEY', service.key),
  ]);
  const response = await fetch(`${service.origin}${path}`, {
    method: 'POST',
    headers: Object.fromEntries(withKey),
    body: mistake.body ?? bodyOf({ ...own, ...fields }),
  });
  const { data, error } = answered.parse(await response.json());
  const status = `${response.status} ${STATUS_CODES[response.status]}`;
  const said =
    error === undefined
      ? [`"counts": ${JSON.stringify(data?.counts)}`]
      : (error.details ?? [{ path: '', message: error.message }]).map(faultSentence);
  return fenced('text', [status, ...said].join('\n'));
}

async function commandAnswer(command: string): Promise<string> {
  const environment = { QCS_URL: service.origin, QCS_API_KEY: '' };
  if (command.includes('--url')) environment.QCS_API_KEY = 'qcs_0';
  const { code, stdout, stderr } = await runQcs(command.split(' '), { environment });
  expect(code).toBeGreaterThan(0);
  expect(stdout).toBe('');
  return stderr.trimEnd();
}

/** Output of a service that does not start; the one that runs stands for one on port 8080. */
async function startAnswer(settings: Readonly<Record<string, string>>): Promise<string> {
  const port = new URL(service.origin).port;
  const environment = {
    QCS_ENGINE: 'cpu',
    QCS_THREADS: '1',
    ...settings,
    ...(settings['QCS_PORT'] !== undefined && { QCS_PORT: port }),
  };
  using folder = temporaryFolder();
  const started = startServiceProcess(folder.path, environment);
  const { message } = await started.then(
    () => new Error('it started'),
    (error: Error) => error,
  );
  const said = /^the service ended \(\d\): (.*)$/s.exec(message)?.[1] ?? message;
  return said.trimEnd().replaceAll(port, '8080');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
