import { didYouMean } from '#kernel/errors'
import {
  type Attribute,
  type Caller,
  isPolymorphic,
  type PropertyName,
  type QueryContext,
  type Registry,
  type Relation,
  type ResourceType,
  type Visibility,
} from '#kernel/plugin'
import type { SortTerm } from '#kernel/queries'
import { scalarNames } from '#kernel/queries'
import { exposureOfField, exposureOfTerms, findExposure, hidingDeclarationWithin, type IsExposed } from '#query'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The sorts of clients. Set in `onCompile`. */
    sorts?: Sorts
  }
  interface Relation {
    /** The sorts of related resources. Set in `onCompile`. */
    sorts?: Sorts
  }
}

/** One column of an order. */
export interface SortBy<Property extends string = string> {
  readonly property: Property
  readonly descending: boolean
}

/** Returns the columns of a sort key in the requested direction, most significant first. */
export type SortHandler<Property extends string = string> = (descending: boolean) => readonly SortBy<Property>[]

/** Sorts by a property, by a handler, or by the name of a handler in `sorting({ handlers })`. */
export type DeclaredSort<Entity> = (
  | { readonly property: PropertyName<Entity> }
  | { readonly handler: SortHandler<PropertyName<Entity>> | string }
) & {
  /** Returns 400 SORTING_UNRECOGNIZED for requests for which this returns false. */
  readonly availableWhen?: (caller: Caller) => boolean
}

/** Sort keys, each with a property or a declared sort. */
export type SortsOf<Entity> = Readonly<Record<string, PropertyName<Entity> | DeclaredSort<Entity>>>

/** The compiled terms of a sort key, per direction. */
interface Sort {
  readonly ascending: readonly SortTerm[]
  readonly descending: readonly SortTerm[]
  readonly availableWhen?: (caller: Caller) => boolean
  /** The key is unrecognized for requesters who may not see its properties. Undefined if every requester may. */
  readonly isExposed?: IsExposed
}

export type Sorts = ReadonlyMap<string, Sort>
export type SortHandlers = Readonly<Record<string, SortHandler>>
type DeclaredSorts = Readonly<Record<string, string | SortDeclaration>>
type SortDeclaration = Pick<Sort, 'availableWhen'> & {
  readonly property?: string
  readonly handler?: SortHandler | string
}

export function findSorts(type: ResourceType): Sorts {
  return type.sorts ?? new Map()
}

/** Returns the sorts of the related type and of the relation; a sort of the relation overrides one of the type. */
export function relationSorts(relation: Relation): Sorts {
  return relation.sorts ?? new Map()
}

/** Compiles the sorts of all types and relations, and the default sort of each type. */
export function compileSorts(registry: Registry, handlers: SortHandlers): void {
  const types: readonly ResourceType[] = [...registry.types.values()]
  for (const type of types) {
    const declared = (type.declaration.sorts ?? {}) as DeclaredSorts
    const fail = (key: string, message: string) => registry.fail(type, key, message)
    const fields = type.attributes.flatMap((field) => fieldSort(field, declared, fail))
    type.sorts = new Map([...fields, ...compile(declared, type, handlers, fail)])
    type.defaultSort = compileDefaultSort(type, findSorts(type), registry)
    for (const [key, { ascending }] of findSorts(type)) {
      type.lookups.push({
        parameter: `sort=${key}`,
        by: 'order',
        properties: ascending.map(({ property }) => property),
      })
    }
  }
  for (const relation of types.flatMap((type) => type.relations)) {
    const { owner, name, target, options } = relation
    const fail = (_key: string, message: string) => registry.fail(owner, name, message)
    if (options.sorts && isPolymorphic(relation)) fail('', 'A polymorphic relation cannot have sorts.')
    else if (target) {
      const declared = compile((options.sorts ?? {}) as DeclaredSorts, target, handlers, fail)
      relation.sorts = new Map([...findSorts(target), ...pivotSorts(relation), ...declared])
    }
  }
}

/** Members can be sorted by pivot fields. These terms are custom: a cursor cannot represent them. */
function pivotSorts({ pivotFields }: Relation): [string, Sort][] {
  return pivotFields.flatMap((field): [string, Sort][] => {
    const { name: key, property } = field
    if (!property || hidingDeclarationWithin(field)) return []
    const term = (descending: boolean) => ({ key, property, descending, pivot: true, custom: true })
    return [[key, { ascending: [term(false)], descending: [term(true)], isExposed: exposureOfField(field) }]]
  })
}

type Fail = (key: string, message: string) => void

function fieldSort(field: Attribute, declared: DeclaredSorts, fail: Fail): [string, Sort][] {
  const { name, property, on, options } = field
  if (!options.sortable) return []
  const modifier = hidingDeclarationWithin(field)
  if (modifier) fail(name, hiddenAndSorted(`A field with ${modifier}`))
  if (property && !on) return [[name, { ...byProperty(name, property), isExposed: exposureOfField(field) }]]
  const kind = on ? 'field of another object' : 'computed field'
  if (!declared[name]) fail(name, `A ${kind} needs a sort of the same key to be sortable.`)
  return []
}

function compile(declared: DeclaredSorts, type: ResourceType, handlers: SortHandlers, fail: Fail): [string, Sort][] {
  return Object.entries(declared).flatMap(([key, declaration]) => {
    const sort = typeof declaration === 'string' ? byProperty(key, declaration) : bySort(key, declaration, handlers)
    if (typeof sort === 'string') {
      fail(key, sort)
      return []
    }
    const unknown = [...sort.ascending, ...sort.descending].find(
      ({ property }) => type.shape.properties.get(property)?.role !== 'scalar',
    )
    if (unknown) {
      const { property } = unknown
      const suggestion = didYouMean(property, scalarNames(type.shape))
      fail(key, `The sort '${key}' names '${property}', which is not a property of ${type.shape.name}.${suggestion}`)
      return []
    }
    const isExposed = checkExposure(key, sort, type, fail)
    return [[key, { ...sort, isExposed }] as [string, Sort]]
  })
}

/** Reports sorts by hidden properties: the order of rows reveals the values, and cursors contain them. */
function checkExposure(key: string, { ascending, descending }: Sort, type: ResourceType, fail: Fail): IsExposed {
  const properties = new Set([...ascending, ...descending].map(({ property }) => property))
  for (const property of properties) {
    const { hiddenBy } = findExposure(type.attributes, property)
    if (hiddenBy)
      fail(key, hiddenAndSorted(`The sort '${key}' uses '${hiddenBy.field}', which is ${hiddenBy.modifier}: it`))
  }
  return exposureOfTerms([...ascending, ...descending], type)
}

function hiddenAndSorted(subject: string): string {
  return `${subject} cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.`
}

function bySort(
  key: string,
  { property, handler, availableWhen }: SortDeclaration,
  handlers: SortHandlers,
): Sort | string {
  const sort = property === undefined ? byHandler(key, handler, handlers) : byProperty(key, property)
  return typeof sort === 'string' || !availableWhen ? sort : { ...sort, availableWhen }
}

function byProperty(key: string, property: string): Sort {
  return {
    ascending: [{ key, property, descending: false }],
    descending: [{ key, property, descending: true }],
  }
}

/** Calls the handler once per direction, at boot. Returns the fault if there is no handler. */
function byHandler(
  key: string,
  handlerOrName: SortHandler | string | undefined,
  handlers: SortHandlers,
): Sort | string {
  const handler =
    typeof handlerOrName === 'string'
      ? Object.entries(handlers).find(([name]) => name === handlerOrName)?.[1]
      : handlerOrName
  if (typeof handler !== 'function') {
    return typeof handlerOrName === 'string'
      ? `The sort '${key}' names the handler '${handlerOrName}', which is not given to sorting({ handlers }).${didYouMean(handlerOrName, Object.keys(handlers))}`
      : `The sort '${key}' is custom: it needs a handler.`
  }
  const terms = (descending: boolean) => handler(descending).map((term) => ({ key, custom: true, ...term }))
  return { ascending: terms(false), descending: terms(true) }
}

function compileDefaultSort(type: ResourceType, sorts: Sorts, registry: Registry): readonly SortTerm[] {
  return (type.declaration.defaultSort ?? []).flatMap((entry) => {
    const terms = toTerms(entry, sorts)
    if (!terms) {
      const suggestion = didYouMean(entry.replace(/^-/, ''), sorts.keys())
      registry.fail(type, null, `The default sort names '${entry}', which is not a sort of this type.${suggestion}`)
    }
    return terms ?? []
  })
}

/** Returns the terms of an entry such as `-title`; undefined if the requester has no such sort. */
export function toTerms(
  entry: string,
  sorts: Sorts,
  caller: Pick<QueryContext, 'request'> | null = null,
  visibility: Visibility | null = null,
): readonly SortTerm[] | undefined {
  const descending = entry.startsWith('-')
  const sort = sorts.get(descending ? entry.slice(1) : entry)
  if (sort?.availableWhen && caller?.request && !sort.availableWhen(caller.request)) return undefined
  if (sort?.isExposed && !sort.isExposed(visibility)) return undefined
  return descending ? sort?.descending : sort?.ascending
}
