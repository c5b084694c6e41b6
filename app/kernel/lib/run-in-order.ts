import type { Awaitable } from './awaitable.ts'
import { isThenable } from './awaitable.ts'

/** Calls a function for each member, in order. Awaits only promises; returns undefined if there are none. */
export function runInOrder<T>(members: readonly T[], call: (member: T) => Awaitable<void>): Promise<void> | undefined {
  for (let index = 0; index < members.length; index++) {
    const result = call(members[index] as T)
    if (isThenable(result)) return Promise.resolve(result).then(() => runInOrder(members.slice(index + 1), call))
  }
  return undefined
}
