/**
 * The service as a server of the Model Context Protocol: tools, guides as resources, and prompts. `POST /mcp` serves it over
 * HTTP, `qcs mcp` over standard input and output.
 */
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Guides } from '../documents/guides.ts';
import { version } from '../http/software-version.ts';
import { TOOLS, type ToolHost } from './mcp-tools.ts';

const INSTRUCTIONS =
  'Runs quantum circuits on simulators. Check a circuit with draw_circuit before it runs. The guides circuits, noise, batches and gates are resources.';

const guides = new Guides();

/** A server with every tool; each connection, or each request, has its own. */
export function createMcpServer(host: ToolHost): McpServer {
  const server = new McpServer(
    { name: 'quantum-compute-service', version: version() },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, description, input, isReading = false, answer } of TOOLS) {
    const annotations = { readOnlyHint: isReading, openWorldHint: false };
    server.registerTool(
      name,
      { description, inputSchema: input, annotations },
      async (given, { mcpReq }) => {
        try {
          return success(await answer(given, host, mcpReq.signal));
        } catch (error) {
          mcpReq.signal.throwIfAborted();
          return failure(error);
        }
      },
    );
  }
  addGuides(server);
  addPrompts(server);
  return server;
}

const text = (value: string) => ({ type: 'text' as const, text: value });

const success = (value: unknown): CallToolResult =>
  typeof value === 'string'
    ? { content: [text(value)] }
    : { content: [text(JSON.stringify(value))], structuredContent: Object(value) };

type Faults = readonly {
  readonly path?: string;
  readonly message: string;
  readonly code?: string;
}[];

/** Faults as the service lists them, each with its path, so that a model can mend what it sent. */
function failure(error: unknown): CallToolResult {
  const { details, faults = details ?? [] }: { details?: Faults; faults?: Faults } = Object(error);
  const lines = faults.map(({ path, message, code }) =>
    [path && `${path}:`, message, code && `(${code})`].filter(Boolean).join(' '),
  );
  const message = error instanceof Error ? error.message : String(error);
  return { content: [text([message, ...lines].join('\n'))], isError: true };
}

/** Guides and example circuits, as they are in the package. */
function addGuides(server: McpServer): void {
  const entries = guides.list().flatMap((group) => group.guides);
  const examples = guides.names().filter((name) => /\.(qasm|stim)$/.test(name));
  const listed = [
    ...entries.map(({ name, title }) => ({ name, title, mimeType: 'text/markdown' })),
    ...examples.map((name) => ({ name, title: name, mimeType: 'text/plain' })),
  ];
  for (const { name, title, mimeType } of listed) {
    const uri = `qcs://guides/${name}`;
    server.registerResource(name, uri, { title, mimeType }, async () => ({
      contents: [{ uri, mimeType, text: guides.textOf(name) }],
    }));
  }
}

/** Prompts: what each asks of a model, with its arguments. */
function addPrompts(server: McpServer): void {
  const ask = (words: string) => ({
    messages: [{ role: 'user' as const, content: text(words) }],
  });
  server.registerPrompt(
    'bell_state',
    { description: 'Make, draw and measure a Bell pair', argsSchema: z.object({}) },
    () =>
      ask(
        'Make a Bell pair of two qubits: draw the circuit, run it with 1000 shots on qvm, and say whether the counts are those of an entangled pair. Then ask for the expectation values of Z0 Z1 and X0 X1 without shots, and say why they rule out a mixture of 00 and 11.',
      ),
  );
  server.registerPrompt(
    'vqe',
    {
      description: 'Find the ground-state energy of a Hamiltonian with a variational circuit',
      argsSchema: z.object({
        hamiltonian: z
          .string()
          .optional()
          .describe('Terms, such as "-1.05 I + 0.39 Z0 + 0.18 X0 X1"'),
      }),
    },
    ({ hamiltonian = '-1.0524 I + 0.3979 Z0 - 0.3979 Z1 - 0.0113 Z0 Z1 + 0.1809 X0 X1' }) =>
      ask(
        `Find the lowest energy of the Hamiltonian ${hamiltonian} with a variational circuit. Choose an ansatz with few inputs and draw it. Use run_sweep with the Hamiltonian as an observable of terms over a grid of the inputs, then with "return": ["expectation", "gradient"] in fields around the best point, until the gradient is below 1e-4. State the energy, the inputs, and how far it is from the lowest eigenvalue, which you compute yourself.`,
      ),
  );
  server.registerPrompt(
    'threshold',
    { description: 'Estimate the threshold of a surface code', argsSchema: z.object({}) },
    () =>
      ask(
        'Estimate the threshold of the rotated surface code under circuit noise. Read the guide error-correction. Write memory experiments of distance 3 and 5 with as many rounds as Stim texts, run each at error rates from 0.004 to 0.012 with "return": ["detection_events"] only if few shots are needed, and otherwise describe the request of POST /quantum/experiments that counts logical errors. Say between which rates the curves cross, and with what error bars.',
      ),
  );
}
