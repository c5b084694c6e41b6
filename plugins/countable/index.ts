import {
  type ApiRequest,
  isPolymorphic,
  type Plugin,
  type Query,
  queryParamMalformed,
  type Relation,
  servesTarget,
  splitList,
  type Target,
} from '#kernel'
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

/** `withCount=tracks,_self_`: sizes on demand, and the profile that announces them. */
export function countable(): Plugin {
  const named = new WeakMap<Query, readonly string[]>()
  return {
    name: 'countable',
    keys: ['countable'],
    errors: [relationshipCountNotAllowed.definition],
    modifiers: { relation: { countable: () => ({ options: { countable: true } }) } },
    profiles: [countableProfileUri],

    onRequest({ media, appliedProfiles }) {
      if (media.profiles.has(countableProfileUri)) appliedProfiles.add(countableProfileUri)
    },

    parameters: {
      withCount(value, query, { appliedProfiles }) {
        appliedProfiles.add(countableProfileUri)
        if (typeof value === 'string') named.set(query, [...new Set(splitList(value))])
        else query.faults.push(queryParamMalformed({ parameter: 'withCount', expected: 'a comma list' }, byWithCount))
      },
    },

    onQuery(request, query) {
      const refused = (named.get(query) ?? []).filter((name) => !note(name, query, request))
      if (refused.length > 0) query.faults.push(relationshipCountNotAllowed({ names: refused.join(', ') }, byWithCount))
    },
  }
}

/** Notes in the query what is to be counted; false when it cannot be. */
function note(name: string, query: Query, request: ApiRequest): boolean {
  const target = request.target as Target
  if (name !== self) {
    const relation = countableRelation(name, target, query, request)
    if (relation) query.counts.add(relation)
    return relation !== null
  }
  if (!isCountable(target, request.ctx.method) || query.paginator?.keyset) return false
  query.count ||= (query.window !== null && !query.single) || target.kind === 'relationship'
  return true
}

/** A collection whose type allows it; of related resources and of linkage, one whose relation does. */
function isCountable({ kind, type, relation }: Target, method: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!relation) return kind === 'collection' && type.declaration.countable === true
  const isWhole = isPolymorphic(relation) || relation.pivotFields.length > 0
  return relation.toMany && relation.options.countable === true && (kind === 'related' || !isWhole)
}

/** A countable to-many of the type that is rendered as primary data. */
function countableRelation(name: string, target: Target, query: Query, { ctx, server }: ApiRequest): Relation | null {
  if (target.kind === 'relationship' || ctx.method === 'DELETE' || query.types.length > 1) return null
  const field = query.type.fields.get(name)
  if (field?.role !== 'relation' || field.hidden === true) return null
  return field.toMany && field.options.countable && servesTarget(server, field) ? field : null
}
