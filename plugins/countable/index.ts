import Joi from 'joi'
import { acceptedNames, phrase, queryParamMalformed } from '#kernel/errors'
import {
  type Fact,
  isPolymorphic,
  isWrite,
  type Plugin,
  type Query,
  type QueryContext,
  type Registry,
  type Relation,
} from '#kernel/plugin'
import { servesTarget } from '#kernel/queries'
import { checkQueryLimit, findVisibleRelation, showsResources, splitList } from '#query'
import { describeCounts } from './describe.ts'
import { relationshipCountNotAllowed } from './errors.ts'

export const countableProfileUri = 'https://haddowg.github.io/json-api/profiles/countable/'

declare module '#kernel' {
  interface ToManyModifiers<Entity> {
    /** Accepts the relation in `withCount`, which returns its number of members. */
    countable(): this & Fact<{ countable: true }>
  }
  interface FieldOptions {
    countable?: boolean
  }
  interface ResourceKeys<Entity> {
    /** Accepts `withCount=_self_`, which returns the total of the collection. */
    readonly countable?: boolean
  }
}

/** The name for the collection at the URL of the request. */
const self = '_self_'
const errorSource = { source: { parameter: 'withCount' } }

/** Returns totals on demand (`withCount=tracks,_self_`), and applies the Countable profile. */
export function countable(): Plugin {
  return {
    name: 'countable',
    keys: { countable: Joi.boolean() },
    errors: [relationshipCountNotAllowed.definition],
    modifiers: { relation: { countable: () => ({ options: { countable: true } }) } },
    profiles: [countableProfileUri],

    onCompile: (registry) => () => checkCounts(registry),

    plan({ profiles, begin }) {
      if (profiles.has(countableProfileUri))
        begin.push(({ appliedProfiles }) => void appliedProfiles.add(countableProfileUri))
    },

    parameters: {
      withCount: {
        list(value, query) {
          query.profiles = [...query.profiles, countableProfileUri]
          if (typeof value === 'string') return
          query.faults.push(
            queryParamMalformed({ parameter: 'withCount', expected: phrase('a comma list') }, errorSource),
          )
        },
        isAccepted: (queryContext, query) => countableNames(query, queryContext).length > 0,
      },
    },

    onQuery(queryContext, query) {
      const requested = query.requested.get('withCount')
      if (typeof requested !== 'string') return
      const names = splitList(requested)
      checkQueryLimit('names', names.length, queryContext.limits.queryParameters, 'withCount')
      const rejected = [...new Set(names)].filter((name) => !addCount(name, query, queryContext))
      if (rejected.length === 0) return
      const countable = acceptedNames(countableNames(query, queryContext), ...rejected)
      query.faults.push(relationshipCountNotAllowed({ names: rejected, countable }, errorSource))
    },

    describe: (openapi) => describeCounts(openapi, countableProfileUri),
  }
}

/** Adds a count to the query. Returns false if the name is not countable. */
function addCount(name: string, query: Query, queryContext: QueryContext): boolean {
  if (name !== self) {
    const relation = countableRelation(name, query, queryContext)
    if (relation) query.counts = new Set(query.counts).add(relation)
    return relation !== null
  }
  if (!isSelfCountable(query, queryContext)) return false
  query.count ||= (query.window !== null && !query.single) || queryContext.target.kind === 'relationship'
  return true
}

function countableNames(query: Query, queryContext: QueryContext): readonly string[] {
  const relations = query.type.relations.filter(({ name }) => countableRelation(name, query, queryContext))
  return [...(isSelfCountable(query, queryContext) ? [self] : []), ...relations.map(({ name }) => name)]
}

function isSelfCountable(query: Query, queryContext: QueryContext): boolean {
  return isCountableTarget(queryContext) && !query.paginator?.keyset
}

/** Returns true for a collection of a countable type, and for related resources or linkage of a countable relation. */
function isCountableTarget({ target: { kind, type, relation }, kind: operation }: QueryContext): boolean {
  if (isWrite(operation)) return false
  if (!relation) return kind === 'collection' && type.declaration.countable === true
  const isWhole = isPolymorphic(relation) || relation.pivotFields.length > 0
  return relation.toMany && relation.options.countable === true && (kind === 'related' || !isWhole)
}

/** Returns a countable to-many relation of the primary data by name; null if it is not countable or not visible. */
function countableRelation(name: string, query: Query, queryContext: QueryContext): Relation | null {
  if (!showsResources(queryContext) || query.types.length > 1) return null
  const relation = findVisibleRelation(query.type, name, query.visibility)
  if (!relation?.toMany || !relation.options.countable) return null
  return servesTarget(queryContext.server, relation) ? relation : null
}

/** Refuses counts that would reveal rows that `filterRows` leaves out. */
function checkCounts({ types, fail }: Registry): void {
  for (const type of types.values()) {
    if (type.declaration.countable && type.rowFilterReason) fail(type, 'countable', revealsRows(type.rowFilterReason))
    for (const { name, options, targets } of type.relations) {
      const reason = targets.find(({ rowFilterReason }) => rowFilterReason)?.rowFilterReason
      if (options.countable && reason) fail(type, name, revealsRows(reason))
    }
  }
}

function revealsRows(reason: string): string {
  return `The ${reason}: a count would include rows that view denies.`
}
