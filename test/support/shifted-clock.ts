/**
 * Shifts the clock of a process: `NODE_OPTIONS=--import FILE` with QCS_TEST_CLOCK_SHIFT_MS, milliseconds. Timers and
 * `performance.now` go on as they are.
 */
const shiftMs = Number(process.env['QCS_TEST_CLOCK_SHIFT_MS'] ?? 0);
const realNow = Date.now;

Date.now = () => realNow() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
});
