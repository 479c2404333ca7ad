/** Route that compiles a circuit without running it. */

import { readingCaller } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { sourceOf } from '../http/json-body.ts';
import { readInProcess } from '../http/reading/reading.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { COMPILE_READING } from './compile-circuit.ts';
import { compileBody, compiledCircuit } from './compile-schema.ts';
import { targetsOf } from './targets.ts';

/** Registers `/quantum/compile`. */
export function compileRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  app.post(
    '/quantum/compile',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The body is validated where it is compiled.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'compileCircuit',
        tags: ['circuits'],
        summary: 'Compile a circuit without running it',
        description:
          'Answers the circuit compiled for the target, and what each compiler pass saved. A circuit without measurements keeps the state that it makes of |0…0⟩; one with measurements keeps the distribution of its outcomes.',
        body: compileBody,
        response: { 200: successEnvelope(compiledCircuit), ...errorResponses(400, 503) },
      },
    },
    async (request, reply) => {
      const caller = readingCaller(request, reply);
      const context = { targets: targetsOf(deps.fleet) };
      const source = sourceOf(request.body);
      const json = await readInProcess(deps.readers, COMPILE_READING, source, context, caller);
      return envelopes.sendText(request, reply, { json });
    },
  );
}
