/**
 * Closes what one call could leave behind for the next in its process, and what an expression that
 * escaped its evaluator would reach for.
 *
 * The objects that all code shares, such as `Array.prototype`, are frozen. A frozen property of a
 * prototype forbids its instances a property of the same name by assignment, which libraries do with
 * `toString` and the like; so on the prototypes that everything inherits from, properties become
 * accessors that let instances have their own.
 *
 * It is the second wall: the operating system's process, Node's permissions and the lack of `eval` are
 * the first. Node's own modules stay as they are; procedures do not hand them to what callers send.
 */

/** Globals whose objects, and all that is reached from them, are frozen. */
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

/** What other classes are made from. */
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

/** Kept out of the walk: Node changes them as it goes. */
const LEFT_ALONE = ['globalThis', 'performance', 'process'];

/** Ways out of the process that procedures have no use for. */
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

/** Locks this process down, for good. Whoever needs `process.send` afterwards has taken it before. */
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

/** Prototypes that no global names. */
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

/** Turns data properties into accessors that give what assigns to them a property of its own. */
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
