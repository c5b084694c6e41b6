import {
  type ErrorFactory,
  isPolymorphic,
  type Plugin,
  type PropertyName,
  type Query,
  queryParamMalformed,
  queryParamUnrecognized,
  type Registry,
  type ResourceType,
  type SortTerm,
  splitList,
  type Target,
} from '#kernel'
import { sortingUnrecognized, sortingUnsupported } from './errors.ts'

declare module '#kernel' {
  interface AttributeWords<Entity> {
    /** Allowed in `sort`, by the property behind the field. */
    sortable(): this
  }
  interface FieldOptions {
    sortable?: boolean
  }
  interface ResourceWords<Entity> {
    /** Sort keys besides the sortable fields: key → property. */
    readonly sorts?: Readonly<Record<string, PropertyName<Entity>>>
    /** The order without `sort`: `['-releasedAt']`. */
    readonly defaultSort?: readonly string[]
  }
}

/** Key → property. */
type Sorts = ReadonlyMap<string, string>

/** `sort=-releasedAt,title`, and the order a type has by itself. */
export function sorting(): Plugin {
  const sorts = new Map<ResourceType, Sorts>()
  return {
    name: 'sorting',
    errors: [sortingUnrecognized.definition, sortingUnsupported.definition],
    modifiers: { attribute: { sortable: () => ({ options: { sortable: true } }) } },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const keys = compileSorts(type, registry)
        sorts.set(type, keys)
        type.defaultSort = compileDefaultSort(type, keys, registry)
      }
    },

    parameters: {
      sort(value, query, { target, ctx }) {
        const refusal = refusalOf(target as Target, ctx.method)
        if (refusal) {
          query.faults.push(refusal({ parameter: 'sort' }, { source: { parameter: 'sort' } }))
        } else if (typeof value !== 'string') {
          query.faults.push(queryParamMalformed({ parameter: 'sort', expected: 'a comma list of keys' }, bySort))
        } else {
          query.sort = readSort(value, query, sorts.get(query.type) as Sorts)
        }
      },
    },

    onQuery({ target }, query) {
      if (query.sort.length === 0 && isOrdered(target as Target, query)) query.sort = query.type.defaultSort
    },
  }
}

const bySort = { source: { parameter: 'sort' } }

function compileSorts(type: ResourceType, registry: Registry): Sorts {
  const keys = new Map<string, string>()
  for (const { name, property, options } of type.attributes) {
    if (!options.sortable) continue
    if (property) keys.set(name, property)
    else if (!type.declaration.sorts?.[name])
      registry.fail(type, name, 'A computed field needs a sort of the same key to be sortable.')
  }
  for (const [key, property] of Object.entries(type.declaration.sorts ?? {})) {
    if (type.shape.properties.get(property)?.role === 'scalar') keys.set(key, property)
    else
      registry.fail(type, key, `The sort '${key}' names '${property}', which is not a property of ${type.shape.name}.`)
  }
  return keys
}

function compileDefaultSort(type: ResourceType, keys: Sorts, registry: Registry): readonly SortTerm[] {
  return (type.declaration.defaultSort ?? []).flatMap((entry) => {
    const term = toTerm(entry, keys)
    if (!term) registry.fail(type, null, `The default sort names '${entry}', which is not a sort of this type.`)
    return term ? [term] : []
  })
}

function readSort(value: string, query: Query, keys: Sorts): readonly SortTerm[] {
  if (keys.size === 0) {
    query.faults.push(sortingUnsupported({}, bySort))
    return []
  }
  return distinct(splitList(value)).flatMap((entry) => {
    const term = toTerm(entry, keys)
    if (!term) query.faults.push(sortingUnrecognized({ type: query.type.name, parameter: keyOf(entry) }, bySort))
    return term ? [term] : []
  })
}

/** A key that comes again cannot change the order. */
function distinct(entries: readonly string[]): string[] {
  const seen = new Set<string>()
  return entries.filter((entry) => !seen.has(keyOf(entry)) && seen.add(keyOf(entry)))
}

function keyOf(entry: string): string {
  return entry.replace(/^-/, '')
}

function toTerm(entry: string, keys: Sorts): SortTerm | null {
  const descending = entry.startsWith('-')
  const key = keyOf(entry)
  const property = keys.get(key)
  return property ? { key, property, descending } : null
}

/** Which error answers `sort` where nothing can be sorted. */
function refusalOf({ kind, relation }: Target, method: string): ErrorFactory | null {
  if (kind === 'resource' || method === 'POST' || method === 'PATCH' || method === 'DELETE') {
    return kind === 'relationship' ? queryParamUnrecognized : sortingUnsupported
  }
  return relation && (!relation.toMany || isPolymorphic(relation)) ? queryParamUnrecognized : null
}

/** The default order holds where a collection is asked for; a bare linkage read keeps the stored order. */
function isOrdered({ kind, relation }: Target, query: Query): boolean {
  if (kind === 'collection') return true
  if (!relation?.toMany || isPolymorphic(relation)) return false
  return kind === 'related' || query.requested.has('page') || query.requested.has('filter')
}
