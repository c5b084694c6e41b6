import {
  type App,
  isMap,
  isPolymorphic,
  type PageParams,
  type Paginator,
  type Plugin,
  type Query,
  queryParamUnrecognized,
  type Relation,
  type ResourceType,
  type Target,
} from '#kernel'
import { page } from './paginator.ts'

export { clampSize, type PageOptions, page, readInteger } from './paginator.ts'

declare module '#kernel' {
  interface ToManyWords<Entity> {
    /** The pages of the related collection. */
    paginate(paginator: Paginator): this
    withoutPagination(): this
  }
  interface FieldOptions {
    paginator?: Paginator | null
  }
  interface ResourceWords<Entity> {
    /** Takes the server's paginator and returns the one of this type, or null for none. */
    readonly pagination?: (serverDefault: Paginator | null) => Paginator | null
  }
}

export interface PaginationOptions {
  /** Bounds the paginator that types have by default; 0 switches that paginator off. */
  readonly maxPerPage?: number
}

/** `page[…]`: how much of a collection is read at once. */
export function pagination({ maxPerPage = 100 }: PaginationOptions = {}): Plugin {
  const serverDefault = maxPerPage > 0 ? page({ max: maxPerPage, size: Math.min(15, maxPerPage) }) : null
  const params = new WeakMap<Query, PageParams>()
  return {
    name: 'pagination',
    modifiers: {
      relation: {
        paginate: (_, paginator: Paginator) => ({ options: { paginator } }),
        withoutPagination: () => ({ options: { paginator: null } }),
      },
    },

    onCompile(registry) {
      const { types } = registry
      for (const type of types.values()) paginators.set(type, ownPaginator(type, serverDefault))
      for (const relation of [...types.values()].flatMap((type) => type.relations)) {
        const inherited = isPolymorphic(relation) ? serverDefault : paginators.get(relation.target)
        const { paginator = inherited ?? null } = relation.options
        relationPaginators.set(relation, paginator)
        if (isPolymorphic(relation) && paginator?.kind === 'cursor') {
          registry.fail(relation.owner, relation.name, 'A polymorphic relation cannot be paged by cursor.')
        }
      }
    },

    parameters: {
      page(value, query, { target }) {
        const { relation } = target as Target
        if (relation && !relation.toMany) {
          query.faults.push(queryParamUnrecognized({ parameter: 'page' }, { source: { parameter: 'page' } }))
        } else if (isMap(value)) {
          params.set(
            query,
            Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) as PageParams,
          )
        }
      },
    },

    onQuery({ target, ctx, app }, query) {
      const reads = ctx.method === 'GET' || ctx.method === 'HEAD'
      const declared = reads ? paginatorAt(target as Target, query) : null
      const paginator = isOffered(declared, app) ? declared : serverDefault
      if (!paginator) return
      query.paginator = paginator
      query.count ||= paginator.counts
      query.window = paginator.window(params.get(query) ?? {}, query)
    },
  }
}

const paginators = new WeakMap<ResourceType, Paginator | null>()
const relationPaginators = new WeakMap<Relation, Paginator | null>()

function ownPaginator({ declaration }: ResourceType, serverDefault: Paginator | null): Paginator | null {
  return declaration.pagination ? declaration.pagination(serverDefault) : serverDefault
}

/** The paginator of a related collection: the relation's, else the related type's; of mixed members the server's. */
export function paginatorOf(relation: Relation): Paginator | null {
  return relationPaginators.get(relation) ?? null
}

/** Without the plugin that registers its profile, a declared paginator is inert. */
function isOffered(paginator: Paginator | null, { profiles }: App): boolean {
  return paginator?.profile === undefined || profiles.includes(paginator.profile)
}

/** A bare linkage read is whole; one that pages, sorts or filters is a window. */
function paginatorAt({ kind, type, relation }: Target, query: Query): Paginator | null {
  if (kind === 'collection') return paginators.get(type) ?? null
  if (!relation?.toMany) return null
  const queried = ['page', 'sort', 'filter'].some((family) => query.requested.has(family))
  return kind === 'related' || queried ? paginatorOf(relation) : null
}
