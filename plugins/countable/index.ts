import {
  checkLength,
  isPolymorphic,
  isWrite,
  type Plugin,
  phrase,
  type Query,
  type QueryContext,
  queryParamMalformed,
  type Relation,
  servesTarget,
  splitList,
} from '#kernel/plugin'
import { describeCounts } from './describe.ts'
import { relationshipCountNotAllowed } from './errors.ts'

export const countableProfileUri = 'https://haddowg.github.io/json-api/profiles/countable/'

declare module '#kernel' {
  interface ToManyWords<Entity> {
    /** Its size may be asked for in `withCount`. */
    countable(): this
  }
  interface FieldOptions {
    countable?: boolean
  }
  interface ResourceWords<Entity> {
    /** The size of the collection may be asked for with `withCount=_self_`. */
    readonly countable?: boolean
  }
}

/** The collection of the request itself. */
const self = '_self_'
const byWithCount = { source: { parameter: 'withCount' } }

const countsTellOfRows = 'The policy sets rowsByView: a count would tell of the rows it leaves out.'

/** `withCount=tracks,_self_`: sizes on demand, and the profile that announces them. */
export function countable(): Plugin {
  return {
    name: 'countable',
    keys: ['countable'],
    errors: [relationshipCountNotAllowed.definition],
    modifiers: { relation: { countable: () => ({ options: { countable: true } }) } },
    profiles: [countableProfileUri],

    onCompiled({ types, fail }) {
      for (const type of types.values()) {
        if (type.declaration.countable && type.leavesOutRows) fail(type, 'countable', countsTellOfRows)
        for (const { name, options, targets } of type.relations) {
          const isTold = options.countable && targets.some(({ leavesOutRows }) => leavesOutRows)
          if (isTold) fail(type, name, countsTellOfRows)
        }
      }
    },

    onRequest({ media, appliedProfiles }) {
      if (media.profiles.has(countableProfileUri)) appliedProfiles.add(countableProfileUri)
    },

    parameters: {
      withCount(value, query, { request }) {
        request?.appliedProfiles.add(countableProfileUri)
        if (typeof value === 'string') return
        query.faults.push(
          queryParamMalformed({ parameter: 'withCount', expected: phrase('a comma list') }, byWithCount),
        )
      },
    },

    onQuery(reading, query) {
      const named = query.requested.get('withCount')
      if (typeof named !== 'string') return
      const names = splitList(named)
      checkLength('names', names.length, reading.limits.queryParameters, 'withCount')
      const refused = [...new Set(names)].filter((name) => !note(name, query, reading))
      if (refused.length > 0) query.faults.push(relationshipCountNotAllowed({ names: refused }, byWithCount))
    },

    describe: (openapi) => describeCounts(openapi, countableProfileUri),
  }
}

/** Notes in the query what is to be counted; false when it cannot be. */
function note(name: string, query: Query, reading: QueryContext): boolean {
  const { target } = reading
  if (name !== self) {
    const relation = countableRelation(name, query, reading)
    if (relation) query.counts = new Set(query.counts).add(relation)
    return relation !== null
  }
  if (!isCountable(reading) || query.paginator?.keyset) return false
  query.count ||= (query.window !== null && !query.single) || target.kind === 'relationship'
  return true
}

/** A collection whose type allows it; of related resources and of linkage, one whose relation does. */
function isCountable({ target: { kind, type, relation }, kind: operation }: QueryContext): boolean {
  if (isWrite(operation)) return false
  if (!relation) return kind === 'collection' && type.declaration.countable === true
  const isWhole = isPolymorphic(relation) || relation.pivotFields.length > 0
  return relation.toMany && relation.options.countable === true && (kind === 'related' || !isWhole)
}

/** A countable to-many of the type that is rendered as primary data. */
function countableRelation(name: string, query: Query, { target, kind, server }: QueryContext): Relation | null {
  if (target.kind === 'relationship' || kind === 'Delete' || query.types.length > 1) return null
  const field = query.type.fields.get(name)
  if (field?.role !== 'relation' || field.hidden === true || query.visibility?.hides(field)) return null
  return field.toMany && field.options.countable && servesTarget(server, field) ? field : null
}
