/** A driver that hangs: never answers, never ends. Leaves its process id where it is told to. */
import { writeFileSync } from 'node:fs';

const pidFile = process.env['QCS_TEST_PID_FILE'];
if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid));
setInterval(() => {}, 1000);
