import {
  type App,
  isPolymorphic,
  type PageParams,
  type Paginator,
  type Query,
  type Registry,
  type Relation,
  type ResourceType,
} from '#kernel'
import { chooseFrom, isMenu, menuFaults } from './menu.ts'
import { page } from './page.ts'

const ofTypes = new WeakMap<ResourceType, Paginator | null>()
const ofRelations = new WeakMap<Relation, Paginator | null>()

export function paginatorOfType(type: ResourceType): Paginator | null {
  return ofTypes.get(type) ?? null
}

/** The paginator of a related collection: the relation's, else the related type's; of mixed members the server's. */
export function paginatorOf(relation: Relation): Paginator | null {
  return ofRelations.get(relation) ?? null
}

/** Settles the paginator of every type and relation; what is wrong with one goes to the registry. */
export function compilePaginators(registry: Registry, serverDefault: Paginator | null): void {
  const types = [...registry.types.values()]
  const check = (paginator: Paginator | null, type: ResourceType, member: string) => {
    if (isMenu(paginator)) for (const fault of menuFaults(paginator)) registry.fail(type, member, fault)
  }
  for (const type of types) {
    const paginator = paginatorDeclared(type, serverDefault, registry)
    ofTypes.set(type, paginator)
    check(paginator, type, 'pagination')
  }
  for (const relation of types.flatMap((type) => type.relations)) {
    const { owner, name, options } = relation
    if (options.paginator !== undefined) check(options.paginator, owner, name)
    if (options.paginator && isPolymorphic(relation) && usesKeyset(options.paginator)) {
      registry.fail(owner, name, 'A polymorphic relation cannot be paged by cursor.')
    }
    ofRelations.set(relation, options.paginator === undefined ? inherited(relation, serverDefault) : options.paginator)
  }
}

/** The members of a polymorphic relation have no common order, so they are never paged by cursor. */
function inherited(relation: Relation, serverDefault: Paginator | null): Paginator | null {
  if (!isPolymorphic(relation)) return ofTypes.get(relation.target) ?? null
  return serverDefault && usesKeyset(serverDefault) ? page() : serverDefault
}

function paginatorDeclared(type: ResourceType, serverDefault: Paginator | null, registry: Registry): Paginator | null {
  const { pagination, perPage, maxPerPage } = type.declaration
  if (perPage === undefined && maxPerPage === undefined) return pagination ? pagination(serverDefault) : serverDefault
  if (pagination) registry.fail(type, 'pagination', "Say either 'pagination' or 'perPage' and 'maxPerPage'.")
  const max = maxPerPage ?? 100
  return page({ size: perPage ?? (max > 0 ? Math.min(15, max) : 15), max })
}

function usesKeyset(paginator: Paginator): boolean {
  return isMenu(paginator) ? paginator.children.some(usesKeyset) : paginator.keyset === true
}

/** The strategy of a request; one whose profile is not registered is not on offer. */
export function choosePaginator(
  paginator: Paginator | null,
  params: PageParams,
  query: Pick<Query, 'faults'>,
  { profiles }: App,
): Paginator | null | undefined {
  const isOffered = ({ profile }: Paginator) => profile === undefined || profiles.includes(profile)
  if (isMenu(paginator)) return chooseFrom(paginator.children.filter(isOffered), paginator, params, query)
  return paginator === null || isOffered(paginator) ? paginator : undefined
}
