/** Action of `qcs mcp`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { drawText } from '../circuit/draw-text.ts';
import { createMcpServer } from '../service/mcp/mcp-server.ts';
import type { CommandIo } from './command-io.ts';
import { circuitOf } from './draw-circuit.ts';
import { type AddressOptions, serviceClient } from './jobs/service-client.ts';

/**
 * Serves until standard input ends.
 *
 * @throws as `serviceClient`.
 */
export async function serveMcp(options: AddressOptions, io: CommandIo): Promise<void> {
  const client = await serviceClient(options, io);
  const host = { client, draw: (fields: object) => drawText(circuitOf(fields, io)) };
  serveStdio(() => createMcpServer(host), {
    onerror: (error) => io.err.write(`${error.message}\n`),
  });
}
