import {
  isMap,
  isWrite,
  type OperationKind,
  type PageParams,
  type Paginator,
  type ParamMap,
  type ParamValue,
  type Plugin,
  type Query,
  queryParamUnrecognized,
  type Target,
} from '#kernel/plugin'
import { describePages } from './describe.ts'
import { paginationKindUnknown } from './errors.ts'
import { page } from './page.ts'
import { checkLeftOutRows, choosePaginator, compilePaginators, paginatorOf, paginatorOfType } from './paginators.ts'

export { type Menu, menu } from './menu.ts'
export { offset } from './offset.ts'
export { type FixedPageOptions, fixedPage, type PageOptions, page } from './page.ts'
export { sizeSchema } from './page-descriptions.ts'
export { clampSize, readInteger } from './page-size.ts'
export { choosePaginator, paginatorOf, paginatorOfType } from './paginators.ts'
export { type Strategy, strategy } from './strategy.ts'

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
    /** Short for numbered pages of this size. */
    readonly perPage?: number
    /** Short for numbered pages of at most this size; 0 is no limit. */
    readonly maxPerPage?: number
  }
}

export interface PaginationOptions {
  /** Bounds the paginator that types have by default; 0 switches that paginator off. */
  readonly maxPerPage?: number
  /** The paginator that types have by default, in place of numbered pages. */
  readonly paginator?: Paginator | null
}

/** `page[…]`: how much of a collection is read at once. */
export function pagination({ maxPerPage = 100, paginator }: PaginationOptions = {}): Plugin {
  const builtIn = maxPerPage > 0 ? page({ max: maxPerPage, size: Math.min(15, maxPerPage) }) : null
  const serverDefault = paginator === undefined ? builtIn : paginator
  return {
    name: 'pagination',
    keys: ['pagination', 'perPage', 'maxPerPage'],
    errors: [paginationKindUnknown.definition],
    modifiers: {
      relation: {
        paginate: (_, paginator: Paginator) => ({ options: { paginator } }),
        withoutPagination: () => ({ options: { paginator: null } }),
      },
    },

    onCompile(registry, servers) {
      compilePaginators(registry, servers, serverDefault)
    },

    onCompiled: checkLeftOutRows,

    parameters: {
      page(_value, query, { target, kind }) {
        if (isUnknown(target, kind)) {
          query.faults.push(queryParamUnrecognized({ parameter: 'page' }, { source: { parameter: 'page' } }))
        }
      },
    },

    onQuery({ target, kind, server }, query) {
      if (query.single) return
      const declared = isWrite(kind) ? null : paginatorAt(target, query)
      const sent = textsOf(query.requested.get('page'))
      let paginator = choosePaginator(declared, sent, query, server)
      if (paginator === undefined) {
        const byDefault = server.paginator === undefined ? serverDefault : server.paginator
        paginator = choosePaginator(byDefault, sent, query, server)
      }
      if (paginator === undefined) paginator = builtIn
      if (!paginator) return
      query.paginator = paginator
      query.count ||= paginator.counts
      query.window = paginator.window(sent, query)
    },

    describe: describePages,
  }
}

/** A to-one has no pages; linkage with association rows is only read whole, and a write answers with all of it. */
function isUnknown({ kind, relation }: Target, operation: OperationKind): boolean {
  if (!relation?.toMany) return relation !== undefined
  return kind === 'relationship' && (relation.pivotFields.length > 0 || isWrite(operation))
}

/** The members of `page` that are texts; others count as not sent. */
function textsOf(page: ParamValue | undefined): PageParams {
  if (!isMap(page)) return none
  for (const name in page) if (typeof page[name] !== 'string') return withoutOthers(page)
  return page as PageParams
}

function withoutOthers(page: ParamMap): PageParams {
  const texts = Object.entries(page).filter(([, value]) => typeof value === 'string')
  return Object.assign(Object.create(null), Object.fromEntries(texts))
}

const none: PageParams = Object.create(null)

/** A bare linkage read is whole; one that pages, sorts or filters is a window. */
function paginatorAt({ kind, type, relation, server }: Target, query: Query): Paginator | null {
  if (kind === 'collection') return paginatorOfType(type, server)
  if (!relation?.toMany) return null
  return kind === 'related' || isQueried(query) ? paginatorOf(relation, server) : null
}

function isQueried({ requested }: Query): boolean {
  return requested.has('page') || requested.has('sort') || requested.has('filter')
}
