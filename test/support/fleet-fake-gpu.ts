/** Process entry: the fake engine as that of an adapter. */
import { serveFakeAdapter } from './fleet-fake-engine.ts';

serveFakeAdapter();
