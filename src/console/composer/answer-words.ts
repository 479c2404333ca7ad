/** Answers of the live state that are no state, in words. */
import type { Refused, TooLarge } from '../live-state/messages.ts';

/** Why there is no state. */
export function messageOfAnswer(answer: Refused | TooLarge): string {
  if (answer.kind === 'refused') {
    return answer.faults
      .map(({ path, message }) =>
        path === '' || message.startsWith(path) ? message : `${path}: ${message}`,
      )
      .join(' ');
  }
  const { numQubits, maxQubits, numSteps, maxSteps } = answer;
  if (numQubits > maxQubits) {
    return `The page computes states of up to ${maxQubits} qubits. This circuit has ${numQubits}; run it on the service.`;
  }
  return `The page computes circuits of up to ${maxSteps.toLocaleString('en')} gates. This one has ${numSteps.toLocaleString('en')}; run it on the service.`;
}
