/**
 * Locks down a procedure process: no call can leave state behind for the next, and an expression that
 * escapes its evaluator finds little to use.
 *
 * The objects that all code shares, such as `Array.prototype`, are frozen. A frozen property of a
 * prototype forbids assignment to a property of that name on its instances, which libraries do with
 * `toString` and the like. So on the prototypes that everything inherits from, properties become
 * accessors that let instances have their own.
 *
 * This is the second line of defence; the first is the operating system's process, Node's permissions and
 * the lack of `eval`. Node's own modules are not frozen; procedures do not hand them to callers' code.
 */

/** Globals that are frozen with every object reachable from them. */
const SHARED = [
  'Object',
  'Function',
  'Array',
  'String',
  'Number',
  'Boolean',
  'Symbol',
  'BigInt',
  'Math',
  'JSON',
  'Reflect',
  'Atomics',
  'Proxy',
  'Promise',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'FinalizationRegistry',
  'RegExp',
  'Date',
  'Iterator',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'DOMException',
  'AbortController',
  'AbortSignal',
  'Event',
  'EventTarget',
  'structuredClone',
  'isFinite',
  'isNaN',
  'parseFloat',
  'parseInt',
  'queueMicrotask',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'performance',
  'TextEncoder',
  'TextDecoder',
  'URL',
  'URLSearchParams',
  'globalThis',
] as const;

/** Error classes, which other classes extend. */
const ERRORS = [
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
];

/** Globals that are not frozen: Node changes them at run time. */
const LEFT_ALONE = ['globalThis', 'performance', 'process'];

/** Globals that reach the network; procedures have no use for them. */
const REMOVED_GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const REMOVED_OF_PROCESS = [
  'kill',
  '_kill',
  'abort',
  'binding',
  '_linkedBinding',
  'dlopen',
  'getBuiltinModule',
  'send',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  'loadEnvFile',
  'report',
];

/** Locks this process down, permanently. Take a reference to `process.send` before if it is needed. */
export function lockDown(): void {
  for (const name of REMOVED_GLOBALS) remove(globalThis, name);
  for (const name of REMOVED_OF_PROCESS) remove(process, name);
  for (const prototype of [Object, Function, ...ERRORS].map((shared) => shared.prototype)) {
    allowOwn(prototype);
  }
  const seen = new Set<unknown>(LEFT_ALONE.map((name) => Reflect.get(globalThis, name)));
  for (const root of [...SHARED.map((name) => Reflect.get(globalThis, name)), ...hidden()]) {
    freezeAll(root, seen);
  }
  for (const name of SHARED) pin(name);
}

/** Prototypes that no global refers to. */
function hidden(): readonly unknown[] {
  const prototypesOf = (value: object): readonly object[] => {
    const prototype: object | null = Object.getPrototypeOf(value);
    return prototype === null ? [] : [prototype, ...prototypesOf(prototype)];
  };
  return [
    function* () {},
    async function* () {},
    async () => {},
    (function* () {})(),
    (async function* () {})(),
    [].values(),
    new Map().values(),
    new Set().values(),
    ''[Symbol.iterator](),
    'a'.matchAll(/a/g),
  ].flatMap(prototypesOf);
}

function freezeAll(root: unknown, seen: Set<unknown>): void {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue;
    if (seen.has(value)) continue;
    seen.add(value);
    left.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const property = Reflect.getOwnPropertyDescriptor(value, key);
      left.push(property?.value, property?.get, property?.set);
    }
    Object.freeze(value);
  }
}

/** Replaces data properties by accessors; assignment to one defines a property on the instance. */
function allowOwn(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const property = Reflect.getOwnPropertyDescriptor(prototype, key);
    if (property === undefined || !('value' in property) || property.configurable !== true)
      continue;
    const value: unknown = property.value;
    Reflect.defineProperty(prototype, key, {
      get: () => value,
      set(this: object, own: unknown) {
        if (this === prototype) throw new TypeError(`${String(key)} cannot be changed for all.`);
        Reflect.defineProperty(this, key, {
          value: own,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
      enumerable: property.enumerable === true,
      configurable: false,
    });
  }
}

function pin(name: string): void {
  const property = Reflect.getOwnPropertyDescriptor(globalThis, name);
  if (property?.configurable !== true) return;
  const value: unknown = Reflect.get(globalThis, name);
  Reflect.defineProperty(globalThis, name, { value, writable: false, configurable: false });
}

function remove(from: object, name: string): void {
  Reflect.defineProperty(from, name, { value: undefined, writable: false, configurable: false });
}
