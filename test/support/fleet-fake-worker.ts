/** Thread entry: the fake engine, in good health. */
import { serveFakeEngine } from './fleet-fake-engine.ts';

serveFakeEngine({ isWrong: false });
