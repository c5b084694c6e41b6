import {
  type ApiRequest,
  type Attribute,
  exposureOf,
  exposureOfField,
  exposureOfTerms,
  hidingWordWithin,
  type IsExposed,
  isPolymorphic,
  type PropertyName,
  type Registry,
  type Relation,
  type ResourceType,
  type SortTerm,
  type Visibility,
} from '#kernel/plugin'

/** One column of an order. */
export interface SortBy<Property extends string = string> {
  readonly property: Property
  readonly descending: boolean
}

/** The order a sort key stands for, most significant first, in the direction asked for. */
export type SortHandler<Property extends string = string> = (descending: boolean) => readonly SortBy<Property>[]

/** By a property, or of the author's own making: a handler, or the name of one given to `sorting({ handlers })`. */
export type DeclaredSort<Entity> = (
  | { readonly property: PropertyName<Entity> }
  | { readonly handler: SortHandler<PropertyName<Entity>> | string }
) & {
  /** For other requesters the key is unknown. */
  readonly availableWhen?: (request: ApiRequest) => boolean
}

/** Sort keys: each a property, or a sort that says more. */
export type SortsOf<Entity> = Readonly<Record<string, PropertyName<Entity> | DeclaredSort<Entity>>>

/** What a key stands for, ascending and descending. */
interface Sort {
  readonly ascending: readonly SortTerm[]
  readonly descending: readonly SortTerm[]
  readonly availableWhen?: (request: ApiRequest) => boolean
  /** To other requesters the key is unknown; all know it when left out. */
  readonly isExposed?: IsExposed
}

export type Sorts = ReadonlyMap<string, Sort>
export type SortHandlers = Readonly<Record<string, SortHandler>>
type DeclaredSorts = Readonly<Record<string, string | Given>>
type Given = Pick<Sort, 'availableWhen'> & { readonly property?: string; readonly handler?: SortHandler | string }

const ofTypes = new WeakMap<ResourceType, Sorts>()
const ofRelations = new WeakMap<Relation, Sorts>()

export function sortsOf(type: ResourceType): Sorts {
  return ofTypes.get(type) ?? new Map()
}

/** The sorts of the related type, and those that hold on this relation only, which win a clash. */
export function relationSorts(relation: Relation): Sorts {
  return ofRelations.get(relation) ?? new Map()
}

/** Compiles the sorts of all types and relations, and the order each type has by itself. */
export function compileSorts(registry: Registry, handlers: SortHandlers): void {
  const types = [...registry.types.values()]
  for (const type of types) {
    const declared = (type.declaration.sorts ?? {}) as DeclaredSorts
    const fail = (key: string, message: string) => registry.fail(type, key, message)
    const fields = type.attributes.flatMap((field) => fieldSort(field, declared, fail))
    ofTypes.set(type, new Map([...fields, ...compile(declared, type, handlers, fail)]))
    type.defaultSort = compileDefaultSort(type, sortsOf(type), registry)
    for (const [key, { ascending }] of sortsOf(type)) {
      type.lookups.push({ asked: `sort=${key}`, by: 'order', properties: ascending.map(({ property }) => property) })
    }
  }
  for (const relation of types.flatMap((type) => type.relations)) {
    const { owner, name, target, options } = relation
    const fail = (_key: string, message: string) => registry.fail(owner, name, message)
    if (options.sorts && isPolymorphic(relation)) fail('', 'A relation that leads to several types takes no sorts.')
    else if (target) {
      const own = compile((options.sorts ?? {}) as DeclaredSorts, target, handlers, fail)
      ofRelations.set(relation, new Map([...sortsOf(target), ...pivotSorts(relation), ...own]))
    }
  }
}

/** Members are also sorted by the values of their association rows; positions in such an order cannot be named. */
function pivotSorts({ pivotFields }: Relation): [string, Sort][] {
  return pivotFields.flatMap((field): [string, Sort][] => {
    const { name: key, property } = field
    if (!property || hidingWordWithin(field)) return []
    const term = (descending: boolean) => ({ key, property, descending, pivot: true, custom: true })
    return [[key, { ascending: [term(false)], descending: [term(true)], isExposed: exposureOfField(field) }]]
  })
}

type Fail = (key: string, message: string) => void

function fieldSort(field: Attribute, declared: DeclaredSorts, fail: Fail): [string, Sort][] {
  const { name, property, on, options } = field
  if (!options.sortable) return []
  const word = hidingWordWithin(field)
  if (word) fail(name, hiddenAndSorted(`A field with ${word}`))
  if (property && !on) return [[name, { ...byProperty(name, property), isExposed: exposureOfField(field) }]]
  const kind = on ? 'field of another object' : 'computed field'
  if (!declared[name]) fail(name, `A ${kind} needs a sort of the same key to be sortable.`)
  return []
}

function compile(declared: DeclaredSorts, type: ResourceType, handlers: SortHandlers, fail: Fail): [string, Sort][] {
  return Object.entries(declared).flatMap(([key, given]) => {
    const sort = typeof given === 'string' ? byProperty(key, given) : bySort(key, given, handlers)
    if (typeof sort === 'string') {
      fail(key, sort)
      return []
    }
    const unknown = [...sort.ascending, ...sort.descending].find(
      ({ property }) => type.shape.properties.get(property)?.role !== 'scalar',
    )
    if (unknown) {
      fail(key, `The sort '${key}' names '${unknown.property}', which is not a property of ${type.shape.name}.`)
      return []
    }
    const isExposed = exposedIn(key, sort, type, fail)
    return [[key, { ...sort, isExposed }] as [string, Sort]]
  })
}

/** Rows in the order of a hidden value show that value, and cursors carry it. */
function exposedIn(key: string, { ascending, descending }: Sort, type: ResourceType, fail: Fail): IsExposed {
  const properties = new Set([...ascending, ...descending].map(({ property }) => property))
  for (const property of properties) {
    const { hiddenBy } = exposureOf(type.attributes, property)
    if (hiddenBy)
      fail(key, hiddenAndSorted(`The sort '${key}' looks at '${hiddenBy.field}', which is ${hiddenBy.word}: it`))
  }
  return exposureOfTerms([...ascending, ...descending], type)
}

function hiddenAndSorted(subject: string): string {
  return `${subject} cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.`
}

function bySort(key: string, { property, handler, availableWhen }: Given, handlers: SortHandlers): Sort | string {
  const sort = property === undefined ? byHandler(key, handler, handlers) : byProperty(key, property)
  return typeof sort === 'string' || !availableWhen ? sort : { ...sort, availableWhen }
}

function byProperty(key: string, property: string): Sort {
  return {
    ascending: [{ key, property, descending: false }],
    descending: [{ key, property, descending: true }],
  }
}

/** The terms are made once, here; a sentence when there is no handler. */
function byHandler(key: string, given: SortHandler | string | undefined, handlers: SortHandlers): Sort | string {
  const handler = typeof given === 'string' ? Object.entries(handlers).find(([name]) => name === given)?.[1] : given
  if (typeof handler !== 'function') {
    return typeof given === 'string'
      ? `The sort '${key}' names the handler '${given}', which is not given to sorting({ handlers }).`
      : `The sort '${key}' is custom: it needs a handler.`
  }
  const terms = (descending: boolean) => handler(descending).map((term) => ({ key, custom: true, ...term }))
  return { ascending: terms(false), descending: terms(true) }
}

function compileDefaultSort(type: ResourceType, sorts: Sorts, registry: Registry): readonly SortTerm[] {
  return (type.declaration.defaultSort ?? []).flatMap((entry) => {
    const terms = toTerms(entry, sorts)
    if (!terms) registry.fail(type, null, `The default sort names '${entry}', which is not a sort of this type.`)
    return terms ?? []
  })
}

/** `-title` → the terms of that key; undefined when there is no such sort, or not for this requester. */
export function toTerms(
  entry: string,
  sorts: Sorts,
  request: ApiRequest | null = null,
  visibility: Visibility | null = null,
): readonly SortTerm[] | undefined {
  const descending = entry.startsWith('-')
  const sort = sorts.get(descending ? entry.slice(1) : entry)
  if (request && sort?.availableWhen && !sort.availableWhen(request)) return undefined
  if (sort?.isExposed && !sort.isExposed(visibility)) return undefined
  return descending ? sort?.descending : sort?.ascending
}
