/** A service whose models are tested and work: circuits run on the CPU engine, or wait for the test. */

import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../../../src/engine/cpu/hosted-engine.ts';
import type {
  CircuitResult,
  CircuitRun,
  ProcessorSpec,
  RunHooks,
} from '../../../src/fleet/processor.ts';
import { isBatch } from '../../../src/fleet/schedule/scheduled-run.ts';
import { circuitOf } from '../../../src/fleet/workers/sent-circuit.ts';
import { ModelRegistry } from '../../../src/workloads/models/model-registry.ts';
import { readArtefact } from '../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { QnnHybrid } from '../../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import type { TextUpstream } from '../../../src/workloads/models/text-generation/monitored-upstream.ts';
import { TextModel } from '../../../src/workloads/models/text-generation/text-model.ts';
import { staticCircuit } from '../../support/batches.ts';
import { FakeProcessor } from './fake-processor.ts';
import { openTestService, START, type TestOverrides, type TestService } from './test-service.ts';

/** Runs batches for real, unless told to hold them. */
export class EngineProcessor extends FakeProcessor {
  readonly #engine: CpuEngine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });

  constructor(spec: Partial<ProcessorSpec> = {}) {
    super({ id: 'gpu-fleet', family: 'gpu-fleet', execution: 'cpu-fallback', ...spec });
  }

  override async run(
    task: CircuitRun,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    const { circuit, request } = task;
    if (this.isHolding || !isBatch(request)) return await super.run(task, hooks, signal);
    this.batches.push(task);
    await using executable = await this.#engine.prepare.batch(staticCircuit(circuitOf(circuit)));
    return {
      outputs: await executable.run(request, signal),
      backend: {
        engine: 'cpu',
        execution: 'cpu-fallback',
        precision: 'f64',
        hardware: 'a CPU',
        devices: ['gpu-05'],
      },
      timing: { queueMs: 0.1234, compileMs: 0.2, executionMs: 0.3 },
    };
  }

  /** Ends the engine. */
  async close(): Promise<void> {
    await this.#engine.close();
  }
}

/** The service, and what its classifier runs on. */
export interface ModelService extends AsyncDisposable {
  readonly service: TestService;
  readonly fleet: EngineProcessor;
  readonly simulator: EngineProcessor;
  readonly models: ModelRegistry;
}

/** Opens it once both models have had their first self-test. */
export async function openModelService(
  overrides: TestOverrides = {},
  upstream?: TextUpstream,
): Promise<ModelService> {
  const fleet = new EngineProcessor();
  const simulator = new EngineProcessor({ id: 'statevector-sim', family: 'statevector' });
  const now = () => START;
  const models = new ModelRegistry({
    classifier: new QnnHybrid({ artefact: readArtefact(), processors: [fleet, simulator], now }),
    text: new TextModel({ upstream, now }),
  });
  await Promise.all(models.models.map((model) => model.start()));
  const service = await openTestService({ processors: [fleet, simulator], models, ...overrides });
  return {
    service,
    fleet,
    simulator,
    models,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await models.close();
      await fleet.close();
      await simulator.close();
    },
  };
}
