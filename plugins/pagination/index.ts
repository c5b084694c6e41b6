import Joi from 'joi'
import { queryParamUnrecognized } from '#kernel/errors'
import { type Fact, isWrite, type OperationKind, type Plugin, type Query, type Target } from '#kernel/plugin'
import {
  isMap,
  type PageParams,
  type Paginator,
  type ParamMap,
  type ParamValue,
  type RelationLoad,
} from '#kernel/queries'
import { defaultSortFor, repeatWithout } from '#query'
import { cursorMalformed, cursorStale } from './cursor/errors.ts'
import { describePagination } from './describe.ts'
import { paginationKindUnknown } from './errors.ts'
import { limitToFirstPage } from './first-page.ts'
import { refuseUnknownMembers } from './members.ts'
import { page } from './page.ts'
import { sizeForms } from './page-size.ts'
import {
  checkPagesOfFilteredRows,
  choosePaginator,
  compileCursorOrders,
  compilePaginators,
  defaultPaginator,
  findPaginator,
  findPaginatorForType,
  paginatorForm,
} from './paginators.ts'

export { type CursorOptions, type CursorPage, cursor, cursorProfileUri, cursorSortFault } from './cursor/paginator.ts'
export { limitToFirstPage } from './first-page.ts'
export { type Menu, menu } from './menu.ts'
export { offset } from './offset.ts'
export { type FixedPageOptions, fixedPage, type PageOptions, page } from './page.ts'
export { sizeSchema } from './page-descriptions.ts'
export { clampSize, readInteger, sizeForms } from './page-size.ts'
export { choosePaginator, defaultPaginator, findPaginator, findPaginatorForType } from './paginators.ts'
export { type Strategy, strategy } from './strategy.ts'

declare module '#kernel' {
  interface ToManyModifiers<Entity> {
    /** The paginator of the related collection. */
    paginate<Paging extends Paginator>(paginator: Paging): this & Fact<{ paginator: Paging }>
    /** Returns the related collection as a whole. */
    withoutPagination(): this & Fact<{ paginator: null }>
  }
  interface FieldOptions {
    paginator?: Paginator | null
  }
  interface ResourceKeys<Entity> {
    /** Receives the server's paginator and returns that of the type; null for no pagination. */
    readonly pagination?: (serverDefault: Paginator | null) => Paginator | null
    /** Shorthand for numbered pages of this size. */
    readonly perPage?: number
    /** Shorthand for numbered pages of at most this size; 0 is no limit. */
    readonly maxPerPage?: number
  }
}

declare module '#kernel/plugin' {
  interface ServerOptions {
    /** The paginator of types that declare none; null is none. By default, the paginator of the plugin. */
    readonly paginator?: Paginator | null
  }
}

export interface PaginationOptions {
  /** The maximum size of the default paginator; 0 disables the default paginator. */
  readonly maxPerPage?: number
  /** Replaces numbered pages as the default paginator. */
  readonly paginator?: Paginator | null
}

/** Reads `page[…]` and limits collections and linkage to one page. */
export function pagination({ maxPerPage = 100, paginator }: PaginationOptions = {}): Plugin {
  const builtIn = maxPerPage > 0 ? page({ max: maxPerPage, size: Math.min(15, maxPerPage) }) : null
  const serverDefault = paginator === undefined ? builtIn : paginator
  return {
    name: 'pagination',
    keys: {
      pagination: Joi.function(),
      perPage: sizeForms.size,
      maxPerPage: sizeForms.max,
      'server.paginator': Joi.object().allow(null),
    },
    environment: { STRICT_PAGE_PARAMETERS: Joi.boolean().default(false) },
    errors: [paginationKindUnknown.definition, cursorMalformed.definition, cursorStale.definition],
    modifiers: {
      arguments: { paginate: [paginatorForm.required()] },
      exclusive: [['paginate', 'withoutPagination']],
      relation: {
        paginate: (_, paginator: Paginator) => ({ options: { paginator } }),
        withoutPagination: () => ({ options: { paginator: null } }),
      },
    },

    onCompile(registry, servers) {
      compilePaginators(registry, servers, serverDefault)
      return () => {
        compileCursorOrders(registry, servers)
        checkPagesOfFilteredRows(registry, servers)
      }
    },

    parameters: {
      page: {
        read(_value, query, { target, kind }) {
          if (!acceptsPage(target, kind)) {
            query.faults.push(
              queryParamUnrecognized({ parameter: 'page', hint: repeatWithout }, { source: { parameter: 'page' } }),
            )
          }
        },
        isAccepted: ({ target, kind }) => acceptsPage(target, kind) && returnsCollection(target, kind),
      },
    },

    onQuery({ app, target, kind }, query) {
      if (query.single || isWrite(kind)) return
      const declared = paginatorAt(target, query)
      const requested = query.requested.get('page')
      const params = pageParams(requested)
      const paginator = choosePaginator(declared, params, query)
      if (paginator === 'unknownKind') return
      if (app.config.variables.STRICT_PAGE_PARAMETERS === true)
        refuseUnknownMembers(requested, paginator, declared, query)
      if (!paginator) return
      query.paginator = paginator
      query.count ||= paginator.counts
      query.window = paginator.window(params, query)
      if (paginator.profile) query.profiles = [...query.profiles, paginator.profile]
    },

    planType({ type, beforeRelationLoad }) {
      if (type.relations.some(({ toMany }) => toMany)) beforeRelationLoad.push(limitToCursorPage)
    },

    describe: describePagination,
  }
}

/** Rejects `page` on a to-one, on linkage with pivot fields, and on writes of linkage: these return all members. */
function acceptsPage({ kind, relation }: Target, operation: OperationKind): boolean {
  if (!relation?.toMany) return relation === undefined
  return kind !== 'relationship' || (relation.pivotFields.length === 0 && !isWrite(operation))
}

/** Other URLs ignore `page`. */
function returnsCollection({ kind, relation }: Target, operation: OperationKind): boolean {
  return !isWrite(operation) && (kind === 'collection' || relation?.toMany === true)
}

/** Returns the string members of `page`; ignores lists and maps. */
function pageParams(page: ParamValue | undefined): PageParams {
  if (!isMap(page)) return noParams
  for (const name in page) if (typeof page[name] !== 'string') return onlyStrings(page)
  return page as PageParams
}

function onlyStrings(page: ParamMap): PageParams {
  const strings = Object.entries(page).filter(([, value]) => typeof value === 'string')
  return Object.assign(Object.create(null), Object.fromEntries(strings))
}

const noParams: PageParams = Object.create(null)

/** Returns the paginator of a URL; null for none. Linkage is paginated only if the request has `page`, `sort` or `filter`. */
function paginatorAt({ kind, type, relation, server }: Target, { requested }: Query): Paginator | null {
  if (kind === 'collection') return findPaginatorForType(type, server)
  if (!relation?.toMany) return null
  const isPaginated = kind === 'related' || requested.has('page') || requested.has('sort') || requested.has('filter')
  return isPaginated ? findPaginator(relation, server) : null
}

/** An included collection that pages by cursor contains its first page. Other included collections are complete. */
function limitToCursorPage(load: RelationLoad): void {
  const { relation, query, included, context } = load
  if (!included || !relation.toMany) return
  const paginator = defaultPaginator(findPaginator(relation, context.server))
  if (paginator?.keyset) limitToFirstPage(load, paginator, defaultSortFor(relation.target, query.base.visibility))
}
