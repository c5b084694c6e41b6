export type Awaitable<T> = T | Promise<T>

/** The return type of a function that may return a value or nothing, so that it needs no `return undefined`. */
// biome-ignore lint/suspicious/noConfusingVoidType: `void` accepts functions without a return statement
export type Optional<T> = Awaitable<T | undefined | void>

/** Whether a value must be awaited. Recognizes promises of other libraries, too. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}

/** Calls a function with a value: immediately, unless the value is a promise. */
export function andThen<Value, Result>(
  value: Awaitable<Value>,
  call: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isThenable(value) ? Promise.resolve(value).then(call) : call(value)
}

/** Calls functions with the same arguments, one after the other. Returns a promise only if one of them does. */
export function callAll<Args extends readonly unknown[]>(
  functions: readonly ((...args: Args) => Awaitable<void>)[],
  args: Args,
): Awaitable<void> {
  for (let index = 0; index < functions.length; index++) {
    const pending = functions[index]?.(...args)
    if (pending) return pending.then(() => callAll(functions.slice(index + 1), args))
  }
}

/**
 * Calls functions with the same arguments, one after the other, until one of them returns a value. Returns a promise only if
 * one of them does.
 */
export function callUntil<Args extends readonly unknown[], Result extends object>(
  functions: readonly ((...args: Args) => Optional<Result>)[],
  args: Args,
  first = 0,
): Awaitable<Result | undefined> {
  for (let index = first; index < functions.length; index++) {
    const result = functions[index]?.(...args)
    if (!result) continue
    if (!isThenable(result)) return result
    return Promise.resolve(result).then((found) => found || callUntil(functions, args, index + 1))
  }
  return undefined
}

/** Calls a function for each item, one after the other. Returns a promise only if one of the calls does. */
export function callEach<Item>(
  items: readonly Item[],
  call: (item: Item) => Awaitable<void>,
  first = 0,
): Awaitable<void> {
  for (let index = first; index < items.length; index++) {
    const pending = call(items[index] as Item)
    if (pending) return pending.then(() => callEach(items, call, index + 1))
  }
}
