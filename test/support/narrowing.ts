import type { Condition } from '#kernel'
import type { Plugin } from '#kernel/plugin'

export interface Narrowing {
  readonly plugin: Plugin
  /** The condition holds for the queries made while the work runs. */
  during<T>(condition: Condition, work: () => Promise<T>): Promise<T>
}

/** A plugin that adds a condition to every query: the condition tree from the inside, the rows from the outside. */
export function createNarrowing(): Narrowing {
  let current: Condition | null = null
  return {
    plugin: {
      name: 'narrowing',
      onQuery(_request, query) {
        if (current) query.where.push(current)
      },
    },
    async during(condition, work) {
      current = condition
      try {
        return await work()
      } finally {
        current = null
      }
    },
  }
}
