import type { Awaitable } from './awaitable.ts'
import { isThenable } from './awaitable.ts'

/** Calls one after the other, and waits only for those that are not done at once: undefined when all of them are. */
export function runInOrder<T>(members: readonly T[], call: (member: T) => Awaitable<void>): Promise<void> | undefined {
  for (let index = 0; index < members.length; index++) {
    const waiting = call(members[index] as T)
    if (isThenable(waiting)) return Promise.resolve(waiting).then(() => runInOrder(members.slice(index + 1), call))
  }
  return undefined
}
