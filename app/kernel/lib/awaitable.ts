export type Awaitable<T> = T | Promise<T>

/** The return type of a function that may return a value or nothing, so that it needs no `return undefined`. */
// biome-ignore lint/suspicious/noConfusingVoidType: `void` accepts functions without a return statement
export type Optional<T> = Awaitable<T | undefined | void>

/** Whether a value must be awaited. Recognizes promises of other libraries, too. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}
