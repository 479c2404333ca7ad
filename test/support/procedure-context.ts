/** A procedure's surroundings without a service: circuits run on a CPU engine of double precision. */
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { checkRun } from '../../src/fleet/workers/sent-batch.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';
import type { JsonObject } from '../../src/workloads/procedures/json.ts';
import type { Procedure } from '../../src/workloads/procedures/procedure.ts';
import type { ProcedureContext } from '../../src/workloads/procedures/procedure-context.ts';

/** Progress and counts that a run reported. */
export interface Told {
  readonly progress: { readonly fraction: number; readonly message: string | undefined }[];
  units: number;
  circuits: number;
}

/** A context, what was told to it, and its end. */
export interface TestContext extends AsyncDisposable {
  readonly context: ProcedureContext;
  readonly told: Told;
  /** Parses the input as a request's would be, checks it, and runs it. The late check refuses no more than the run. */
  run(procedure: Procedure, input: JsonObject): Promise<JsonObject>;
}

/** Opens one; to be disposed. */
export function openTestContext({
  seed = 7,
  maxQubits = 20,
  signal = new AbortController().signal,
}: {
  readonly seed?: number;
  readonly maxQubits?: number;
  readonly signal?: AbortSignal;
} = {}): TestContext {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits });
  const runner = engineCircuits(engine, signal);
  const told: Told = { progress: [], units: 0, circuits: 0 };
  const context: ProcedureContext = {
    seed,
    signal,
    progress: (fraction, message) => void told.progress.push({ fraction, message }),
    countUnits: (units) => {
      told.units += units;
    },
    circuits: {
      maxQubits,
      maxNoisyQubits: maxQubits,
      run: async (circuit, request) => {
        told.circuits += request.numCircuits ?? 1;
        checkRun({ circuit, request });
        return await runner.run(circuit, request);
      },
    },
  };
  return {
    context,
    told,
    async run(procedure, input) {
      const faults = procedure.faultsOf(input);
      if (faults.length > 0) throw new Error(`The input has faults: ${JSON.stringify(faults)}`);
      const late = (await procedure.lateFaultsOf?.(input)) ?? [];
      const result = await procedure.run(input, context);
      if (late.length > 0) throw new Error(`It was to be refused: ${JSON.stringify(late)}`);
      // What a job stores is JSON: what would not come through as it is, is a fault.
      const stored: JsonObject = JSON.parse(JSON.stringify(result));
      return stored;
    },
    async [Symbol.asyncDispose]() {
      await engine.close();
    },
  };
}
