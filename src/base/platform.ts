import { performance } from 'node:perf_hooks';
import timers from 'node:timers';
import timerPromises from 'node:timers/promises';
import { types } from 'node:util';
import { runInThisContext } from 'node:vm';

// Test runners replace globals: jsdom and happy-dom install their own classes of bytes, URLs and bodies, Jest runs tests in a context that may
// lack `Response`, and fake timers stop every timer of the test. The engine uses the platform through this module and `node:` modules.

/** The global object of Node.js: where a runner runs tests in a context of their own, that context may lack `Response`. */
export const host: typeof globalThis = runInThisContext('globalThis') as typeof globalThis;

/** The timers at the time when this module was loaded: fake timers also replace the functions of `node:timers`. */
export const setTimeout: typeof timers.setTimeout = timers.setTimeout;
export const clearTimeout: typeof timers.clearTimeout = timers.clearTimeout;
export const setImmediate: typeof timers.setImmediate = timers.setImmediate;
export const setInterval: typeof timers.setInterval = timers.setInterval;
export const clearInterval: typeof timers.clearInterval = timers.clearInterval;

/** The longest delay of a timer of Node.js in milliseconds; with a longer one it would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Resolves after some milliseconds; fake timers do not stop it. */
export const delay: typeof timerPromises.setTimeout = timerPromises.setTimeout;

/** Milliseconds since the process started; fake timers do not stop it. */
export const readMonotonic: () => number = performance.now.bind(performance);

/** The time at which the process started, in milliseconds since 1970. */
export const timeOrigin: number = performance.timeOrigin;

/** Whether a value is bytes, also of another context. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && types.isUint8Array(value);
}

/** Whether a value is a promise, also of another context. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  // A cast to read a member of a value of any type.
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** Whether a value is an error, also of another context. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

/** Whether a value is a URL, also of another context or of a DOM that a test runner installed. */
export function isUrl(value: unknown): value is URL {
  return hasTag(value, 'URL') && 'href' in value;
}

/** Whether a value is a `Blob` or a `File`, also of another implementation. */
export function isBlob(value: unknown): value is Blob {
  return hasTag(value, 'Blob') || hasTag(value, 'File');
}

/** Whether a value is a `Request`, also of another implementation. */
export function isRequest(value: unknown): value is Request {
  return value instanceof host.Request || (isBodyHolder(value) && 'url' in value && 'method' in value);
}

/** Whether a value is a `Response`, also of another implementation. */
export function isResponse(value: unknown): value is Response {
  return value instanceof host.Response || (isBodyHolder(value) && 'status' in value);
}

function isBodyHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'headers' in value && 'arrayBuffer' in value;
}

/** Whether a value says that it is of a class of the platform: `Object.prototype.toString` gives `[object NAME]`. */
export function hasTag(value: unknown, name: string): value is object {
  // A cast to read a member of an object of any type.
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === name
  );
}
