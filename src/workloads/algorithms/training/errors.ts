/** Errors of training. */
import { CodedError } from '../../../errors/coded-error.ts';

/** An angle moves a gate in a way that no shift rule describes. */
export class GateNotDifferentiableError extends CodedError {
  readonly code = 'WORKLOADS_GATE_NOT_DIFFERENTIABLE';

  constructor(gate: string, parameter: string) {
    super(
      `There is no exact derivative of ${gate} by its angle ${parameter}: its matrix is no short sum of waves in that angle.`,
    );
  }
}
