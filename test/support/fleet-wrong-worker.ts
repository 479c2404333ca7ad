/** Thread entry: the fake engine, with a wrong phase in its answer to the self-test. */
import { serveFakeEngine } from './fleet-fake-engine.ts';

serveFakeEngine({ isWrong: true });
