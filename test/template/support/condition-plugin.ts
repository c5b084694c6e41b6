import type { Condition } from '#kernel'
import type { Plugin } from '#kernel/plugin'

export interface ConditionPlugin {
  readonly plugin: Plugin
  /** Adds the condition to the queries that run during the function. */
  during<T>(condition: Condition, run: () => Promise<T>): Promise<T>
}

/** Creates a plugin that adds a condition to every query, so that tests see which rows the condition selects. */
export function createConditionPlugin(): ConditionPlugin {
  let current: Condition | null = null
  return {
    plugin: {
      name: 'narrowing',
      onQuery(queryContext, query) {
        if (current && queryContext.request) query.where.push(current) // differs between requests with the same URL
      },
    },
    async during(condition, run) {
      current = condition
      try {
        return await run()
      } finally {
        current = null
      }
    },
  }
}
