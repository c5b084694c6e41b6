import {
  isPolymorphic,
  type PageParams,
  type Paginator,
  type Query,
  type Registry,
  type Relation,
  type ResourceType,
  type Server,
} from '#kernel/plugin'
import { chooseFrom, isMenu, menuFaults } from './menu.ts'
import { page } from './page.ts'

interface Plan {
  readonly types: ReadonlyMap<ResourceType, Paginator | null>
  readonly relations: ReadonlyMap<Relation, Paginator | null>
}

const plans = new WeakMap<Server, Plan>()

export function paginatorOfType(type: ResourceType, server: Server): Paginator | null {
  return plans.get(server)?.types.get(type) ?? null
}

/** The paginator of a related collection: the relation's, else the related type's; of mixed members the server's. */
export function paginatorOf(relation: Relation, server: Server): Paginator | null {
  return plans.get(server)?.relations.get(relation) ?? null
}

/** Settles the paginator of every type and relation on every server; what is wrong with one goes to the registry. */
export function compilePaginators(registry: Registry, servers: readonly Server[], builtIn: Paginator | null): void {
  const types = [...registry.types.values()]
  for (const server of servers) {
    const byDefault = server.paginator === undefined ? builtIn : server.paginator
    const ofTypes = new Map(types.map((type) => [type, paginatorDeclared(type, byDefault)]))
    const relations = types.flatMap((type) => type.relations)
    const ofRelation = (relation: Relation) => {
      const { paginator } = relation.options
      return paginator === undefined ? inherited(relation, ofTypes, byDefault) : paginator
    }
    plans.set(server, {
      types: ofTypes,
      relations: new Map(relations.map((relation) => [relation, ofRelation(relation)])),
    })
  }
  for (const type of types) checkDeclared(type, servers, registry)
}

/** The members of a polymorphic relation have no common order, so they are never paged by cursor. */
function inherited(relation: Relation, ofTypes: Plan['types'], byDefault: Paginator | null): Paginator | null {
  if (!isPolymorphic(relation)) return ofTypes.get(relation.target) ?? null
  return byDefault && usesKeyset(byDefault) ? page() : byDefault
}

function paginatorDeclared({ declaration }: ResourceType, byDefault: Paginator | null): Paginator | null {
  const { pagination, perPage, maxPerPage } = declaration
  if (perPage === undefined && maxPerPage === undefined) return pagination ? pagination(byDefault) : byDefault
  const max = maxPerPage ?? 100
  return page({ size: perPage ?? (max > 0 ? Math.min(15, max) : 15), max })
}

/** Each fault once, on however many servers the type is. */
function checkDeclared(type: ResourceType, servers: readonly Server[], registry: Registry): void {
  const { pagination, perPage, maxPerPage } = type.declaration
  if (pagination && (perPage !== undefined || maxPerPage !== undefined)) {
    registry.fail(type, 'pagination', "Say either 'pagination' or 'perPage' and 'maxPerPage'.")
  }
  const faults = servers.flatMap((server) => faultsOf(paginatorOfType(type, server)))
  for (const fault of new Set(faults)) registry.fail(type, 'pagination', fault)
  for (const relation of type.relations) {
    const { paginator = null } = relation.options
    for (const fault of faultsOf(paginator)) registry.fail(type, relation.name, fault)
    if (paginator && isPolymorphic(relation) && usesKeyset(paginator)) {
      registry.fail(type, relation.name, 'A polymorphic relation cannot be paged by cursor.')
    }
  }
}

/** Counts and cursors would tell of rows that are left out after they are read. */
export function checkLeftOutRows({ types, fail }: Registry, servers: readonly Server[]): void {
  const tells = (paginator: Paginator | null) =>
    paginator !== null && (usesKeyset(paginator) || countsAlways(paginator))
  const message = 'The policy sets rowsByView: page by number or offset, without counting.'
  for (const type of types.values()) {
    if (type.leavesOutRows && servers.some((server) => tells(paginatorOfType(type, server)))) {
      fail(type, 'pagination', message)
    }
    for (const relation of type.relations) {
      const leavesOut = relation.targets.some(({ leavesOutRows }) => leavesOutRows)
      if (leavesOut && tells(relation.options.paginator ?? null)) fail(type, relation.name, message)
    }
  }
}

function countsAlways(paginator: Paginator): boolean {
  return isMenu(paginator) ? paginator.children.some(countsAlways) : paginator.counts
}

function faultsOf(paginator: Paginator | null): readonly string[] {
  return isMenu(paginator) ? menuFaults(paginator) : []
}

function usesKeyset(paginator: Paginator): boolean {
  return isMenu(paginator) ? paginator.children.some(usesKeyset) : paginator.keyset === true
}

/** The strategy of a request; one whose profile the server does not know is not on offer. */
export function choosePaginator(
  paginator: Paginator | null,
  params: PageParams,
  query: Pick<Query, 'faults'>,
  { profiles }: Server,
): Paginator | null | undefined {
  const isOffered = ({ profile }: Paginator) => profile === undefined || profiles.includes(profile)
  if (isMenu(paginator)) return chooseFrom(paginator.children.filter(isOffered), paginator, params, query)
  return paginator === null || isOffered(paginator) ? paginator : undefined
}
