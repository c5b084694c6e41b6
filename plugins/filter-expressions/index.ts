import Joi from 'joi'
import type { Fact, Plugin, ResourceType } from '#kernel/plugin'
import { addFilter } from '#plugins/filtering/index.ts'
import { describeExpressions } from './describe.ts'
import { filterExpressionInvalid, filterExpressionNameUnrecognized } from './errors.ts'
import { checkHiddenRows, compileFilterable, findFilterable, hasFilterable, recordLookups } from './filterable.ts'
import { type FilterKeys, findKey, groupServersByKey } from './keys.ts'
import { readExpression } from './read-expression.ts'

declare module '#kernel' {
  interface FieldModifiers<Entity> {
    /** Accepts the field in expressions: `filter[where]=gt(priority, 3)`. */
    filterable(): this & Fact<{ filterable: true }>
  }
  interface FieldOptions {
    filterable?: boolean
  }
}

export interface FilterExpressionsOptions {
  /** The key of the filter, or a key by server. Default: `where`. */
  readonly key?: FilterKeys
}

/** Filters that clients compose: `filter[where]=or(eq(status, 'open'), has(labels, eq(name, 'urgent')))`. */
export function filterExpressions({ key = 'where' }: FilterExpressionsOptions = {}): Plugin {
  return {
    name: 'filter-expressions',
    requires: ['filtering'],
    environment: {
      MAX_FILTER_EXPRESSION_LENGTH: Joi.number().integer().min(0).default(2000),
      MAX_FILTER_EXPRESSION_TERMS: Joi.number().integer().min(0).default(50),
      MAX_FILTER_EXPRESSION_DEPTH: Joi.number().integer().min(0).default(8),
      MAX_FILTER_EXPRESSION_HOPS: Joi.number().integer().min(0).default(3),
    },
    errors: [filterExpressionInvalid.definition, filterExpressionNameUnrecognized.definition],
    modifiers: {
      attribute: { filterable: () => ({ options: { filterable: true } }) },
      relation: { filterable: () => ({ options: { filterable: true } }) },
    },

    onCompile(registry, servers) {
      const types: readonly ResourceType[] = [...registry.types.values()]
      const keys = groupServersByKey(key, servers, registry)
      for (const type of types) {
        const filterable = compileFilterable(type, registry)
        type.filterable = filterable
        if (!hasFilterable(filterable)) continue
        for (const [name, names] of keys) {
          recordLookups(type, filterable, name)
          addFilter(type, { key: name, servers: names, read: readExpression }, registry)
        }
      }
      return () => {
        for (const type of types) checkHiddenRows(type, findFilterable(type), registry)
      }
    },

    describe: (draft) => describeExpressions(draft, findKey(draft.server, key)),
  }
}
