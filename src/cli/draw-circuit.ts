/** Action of `qcs draw`, and the circuit of a submission's fields on this machine. */
import type { DynamicCircuit } from '../circuit/circuit.ts';
import { drawText } from '../circuit/draw-text.ts';
import { fleetOptions } from '../compose-fleet.ts';
import { loadConfig } from '../config.ts';
import { readCircuitFile } from './circuit-file.ts';
import type { CommandIo } from './command-io.ts';
import { checkedRun, targetsHere } from './local-run.ts';

/** Options of the command. */
export interface DrawOptions {
  readonly width?: number;
}

/**
 * Prints the drawing.
 *
 * @throws {FileNotFoundError | FileUnreadableError | RequestInvalidError}
 */
export async function drawCircuit(
  file: string,
  { width }: DrawOptions,
  io: CommandIo,
): Promise<void> {
  const circuit = circuitOf(await readCircuitFile(file), io);
  io.out.write(`${drawText(circuit, width ?? io.out.columns)}\n`);
}

/**
 * Reads the fields of a submission as a service on this machine would.
 *
 * @throws {RequestInvalidError} listing every fault.
 */
export function circuitOf(fields: object, io: CommandIo): DynamicCircuit {
  const targets = targetsHere(fleetOptions(loadConfig(io.environment), io.now));
  return checkedRun({ target_processor: 'qvm', shots: 1, ...fields }, targets, io).checked.circuit;
}
