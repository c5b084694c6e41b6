export type Awaitable<T> = T | Promise<T>

/** Whether a value is to be waited for, whoever made it: what is said to return nothing may yet return something. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}
