/** Entry of a process that reads bodies, started by `Readers`. */
import { parentOfProcess } from '../processes/parent-port.ts';
import { serveReading } from './serve-reading.ts';

serveReading(parentOfProcess());
