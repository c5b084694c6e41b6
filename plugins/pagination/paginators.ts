import Joi from 'joi'
import { formFaults, formText } from '#kernel/errors'
import {
  callDeclared,
  isPolymorphic,
  type Query,
  type Registry,
  type Relation,
  type ResourceType,
  type Server,
} from '#kernel/plugin'
import { completeOrder, type PageParams, type Paginator, servesTarget } from '#kernel/queries'
import { defaultStrategy, isMenu, menuFaults, selectStrategy, withKind } from './menu.ts'
import { page } from './page.ts'

declare module '#kernel/plugin' {
  interface Server {
    /** The paginators of types and relations. Set in `onCompile`. */
    paginators?: ServerPaginators
  }
}

interface ServerPaginators {
  readonly types: ReadonlyMap<ResourceType, Paginator | null>
  readonly relations: ReadonlyMap<Relation, Paginator | null>
}

export function findPaginatorForType(type: ResourceType, server: Server): Paginator | null {
  return server.paginators?.types.get(type) ?? null
}

/** Returns the paginator of a relation: its own, that of the related type, or (polymorphic) that of the server. */
export function findPaginator(relation: Relation, server: Server): Paginator | null {
  return server.paginators?.relations.get(relation) ?? null
}

/** Resolves the paginator of every type and relation on every server; reports faults to the registry. */
export function compilePaginators(registry: Registry, servers: readonly Server[], builtIn: Paginator | null): void {
  const types = [...registry.types.values()]
  const failures = new Map<ResourceType, Set<string>>(types.map((type) => [type, new Set()]))
  for (const server of servers) {
    const { paginator: serverDefault = builtIn } = server.options
    checkServerPaginator(server, registry)
    const typePaginators = new Map(
      types.map((type) => [type, compileTypePaginator(type, serverDefault, (fault) => failures.get(type)?.add(fault))]),
    )
    const relations = types.flatMap((type) => type.relations)
    const resolve = (relation: Relation) => {
      const { paginator } = relation.options
      return paginator === undefined ? inheritedPaginator(relation, typePaginators, serverDefault) : paginator
    }
    server.paginators = {
      types: typePaginators,
      relations: new Map(relations.map((relation) => [relation, resolve(relation)])),
    }
  }
  for (const type of types) checkDeclared(type, failures.get(type) as Set<string>, registry)
}

/** Members of a polymorphic relation have no common sort order, which a cursor needs. */
function inheritedPaginator(
  relation: Relation,
  typePaginators: ServerPaginators['types'],
  serverDefault: Paginator | null,
): Paginator | null {
  if (!isPolymorphic(relation)) return typePaginators.get(relation.target) ?? null
  return serverDefault && usesKeyset(serverDefault) ? page() : serverDefault
}

/** Returns the paginator of a type on a server. Reports a fault, and returns the server's, if it is none. */
function compileTypePaginator(
  { declaration }: ResourceType,
  serverDefault: Paginator | null,
  fail: (fault: string) => void,
): Paginator | null {
  const { pagination, perPage, maxPerPage } = declaration
  if (perPage === undefined && maxPerPage === undefined) {
    const called = pagination && callDeclared(() => pagination(serverDefault), fail)
    if (!called || called.result === serverDefault) return serverDefault
    const { result } = called
    const faults = result === null || isPaginator(result) ? listFaults(result) : [notAPaginator]
    for (const fault of faults) fail(fault)
    return faults.length > 0 ? serverDefault : result
  }
  const max = maxPerPage ?? 100
  return page({ size: perPage ?? (max > 0 ? Math.min(15, max) : 15), max })
}

const notAPaginator = 'The function returns a paginator such as page(), or null.'

/** A paginator of the author. */
export const paginatorForm = Joi.object({ window: Joi.function().required(), page: Joi.function().required() })
  .unknown()
  .messages(formText('is a paginator such as page()'))

function isPaginator(value: unknown): value is Paginator {
  return formFaults(paginatorForm.required(), value).length === 0
}

/** Reports each fault once, even if several types use the paginator. */
function checkServerPaginator({ name, options: { paginator } }: Server, registry: Registry): void {
  const source = { name: '', file: `The server '${name}'` }
  for (const fault of listFaults(paginator ?? null)) registry.fail(source, null, `paginator: ${fault}`)
}

/** Reports each fault once, even if several servers have the type. */
function checkDeclared(type: ResourceType, faults: ReadonlySet<string>, registry: Registry): void {
  const { pagination, perPage, maxPerPage } = type.declaration
  if (pagination && (perPage !== undefined || maxPerPage !== undefined)) {
    registry.fail(type, 'pagination', "Declare either 'pagination', or 'perPage' and 'maxPerPage'.")
  }
  for (const fault of faults) registry.fail(type, 'pagination', fault)
  for (const relation of type.relations) {
    const { paginator = null } = relation.options
    for (const fault of listFaults(paginator)) registry.fail(type, relation.name, fault)
    if (paginator && isPolymorphic(relation) && usesKeyset(paginator)) {
      registry.fail(type, relation.name, 'A polymorphic relation cannot be paged by cursor.')
    }
  }
}

/** A cursor holds the values of the default sort, which a custom sort does not have. Records the order for the index check. */
export function compileCursorOrders(registry: Registry, servers: readonly Server[]): void {
  for (const type of registry.types.values()) {
    const paginators = servers.map((server) => findPaginatorForType(type, server))
    if (!paginators.some((paginator) => paginator && usesKeyset(paginator))) continue
    if (type.defaultSort.some(({ custom }) => custom)) {
      registry.fail(type, 'defaultSort', 'A collection that pages by cursor cannot have a custom default sort.')
    }
    const properties = completeOrder(type.defaultSort, type).map(({ property }) => property)
    type.lookups.push({ parameter: 'page[after]', by: 'order', properties })
  }
}

/** Rejects counts and cursors where rows are removed after the query: both would reveal the removed rows. */
export function checkPagesOfFilteredRows({ types, fail }: Registry, servers: readonly Server[]): void {
  const revealsRows = (paginator: Paginator | null) =>
    paginator !== null && (usesKeyset(paginator) || countsAlways(paginator))
  const message = (reason: string) => `The ${reason}: page by number or offset, without counting.`
  for (const type of types.values()) {
    if (type.rowFilterReason && servers.some((server) => revealsRows(findPaginatorForType(type, server)))) {
      fail(type, 'pagination', message(type.rowFilterReason))
    }
    for (const relation of type.relations) {
      const reason = relation.toMany && relation.targets.find(({ rowFilterReason }) => rowFilterReason)?.rowFilterReason
      // The paginator that a relation inherits from a single type was checked with that type.
      if (!reason || (relation.options.paginator === undefined && !isPolymorphic(relation))) continue
      const offering = servers.filter((server) => server.types.has(type.name) && servesTarget(server, relation))
      if (offering.some((server) => revealsRows(findPaginator(relation, server))))
        fail(type, relation.name, message(reason))
    }
  }
}

function countsAlways(paginator: Paginator): boolean {
  return isMenu(paginator) ? paginator.children.some(countsAlways) : paginator.counts
}

function listFaults(paginator: Paginator | null): readonly string[] {
  return isMenu(paginator) ? menuFaults(paginator) : (paginator?.faults ?? [])
}

function usesKeyset(paginator: Paginator): boolean {
  return isMenu(paginator) ? paginator.children.some(usesKeyset) : paginator.keyset === true
}

/**
 * Returns the paginator of a request; null for no pagination. Adds a fault and returns 'unknownKind' if the menu has no
 * paginator of the requested kind.
 */
export function choosePaginator(
  paginator: Paginator | null,
  params: PageParams,
  query: Pick<Query, 'faults'>,
): Paginator | null | 'unknownKind' {
  if (isMenu(paginator)) return selectStrategy(paginator, params, query)
  return paginator && params.kind !== undefined ? withKind(paginator, params.kind) : paginator
}

/** The paginator of requests without `page`. */
export function defaultPaginator(paginator: Paginator | null): Paginator | null {
  return isMenu(paginator) ? defaultStrategy(paginator) : paginator
}
