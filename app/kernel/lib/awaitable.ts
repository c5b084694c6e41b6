export type Awaitable<T> = T | Promise<T>

/** Whether a value is a promise of any library. A hook that is typed `void` may return one as well. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}
