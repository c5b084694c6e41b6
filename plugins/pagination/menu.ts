import { acceptedNames } from '#kernel/errors'
import type { pageMembers, Query } from '#kernel/plugin'
import type { PageParams, Paginator } from '#kernel/queries'
import { paginationKindUnknown } from './errors.ts'
import type { Strategy } from './strategy.ts'

/** A paginator that offers several strategies; the request selects one. */
export interface Menu<Members = unknown> extends Paginator {
  readonly [pageMembers]?: Members
  readonly children: readonly Strategy[]
  readonly preferred: string | undefined
  /** Sets the strategy of requests that select none; the first child by default. */
  defaultKind(kind: string): Menu<Members>
}

/** The members of one of the strategies. */
type MembersOf<Child> = Child extends Strategy<infer Members, infer Kind> ? Members & { readonly kind?: Kind } : never

export function menu<const Children extends readonly Strategy[]>(
  ...children: Children
): Menu<MembersOf<Children[number]>> {
  return createMenu(children, undefined)
}

/** As a paginator, a menu delegates to its default strategy. */
function createMenu<Members>(children: readonly Strategy[], preferred: string | undefined): Menu<Members> {
  const fallback = findDefault(children, preferred) as Strategy
  return {
    kind: 'menu',
    counts: false,
    children,
    preferred,
    defaultKind: (kind) => createMenu(children, kind),
    window: (params, query) => fallback.window(params, query),
    page: (...args) => fallback.page(...args),
  }
}

export function isMenu(paginator: Paginator | null): paginator is Menu {
  return paginator !== null && 'children' in paginator
}

function findDefault(children: readonly Strategy[], preferred: string | undefined): Strategy | undefined {
  return children.find(({ kind }) => kind === preferred) ?? children[0]
}

/** The strategy of requests that select none. A menu without paginators is a boot error. */
export function defaultStrategy({ children, preferred }: Menu): Strategy {
  return findDefault(children, preferred) as Strategy
}

/** Selects by `page[kind]`, else by a key of one strategy, else the default. */
export function selectStrategy(
  menu: Menu,
  params: PageParams,
  query: Pick<Query, 'faults'>,
): Paginator | 'unknownKind' {
  const { children } = menu
  const { kind } = params
  if (kind === undefined) {
    const selected = children.find(({ selectedBy }) => selectedBy.some((key) => key in params))
    return selected ? withKind(selected, selected.kind) : defaultStrategy(menu)
  }
  const chosen = children.find((child) => child.kind === kind)
  if (chosen) return withKind(chosen, kind)
  const kinds = acceptedNames(
    children.map((child) => child.kind),
    kind,
  )
  query.faults.push(paginationKindUnknown({ kind, kinds }, { source: { parameter: 'page[kind]' } }))
  return 'unknownKind'
}

/** Adds `page[kind]` to links: the strategy is not the default, and the link of a first page may have no key that selects it. */
export function withKind(paginator: Paginator, kind: string): Paginator {
  return {
    ...paginator,
    page: (page, window, type, link) => paginator.page(page, window, type, (params) => link({ kind, ...params })),
  }
}

/** Returns the boot faults of a menu. */
export function menuFaults({ children, preferred }: Menu): string[] {
  const kinds = children.map(({ kind }) => kind)
  const duplicates = new Set(kinds.filter((kind, index) => kinds.indexOf(kind) !== index))
  const hasDefault = preferred === undefined || kinds.includes(preferred)
  return [
    ...(children.length === 0 ? ['A menu of paginators needs at least one paginator.'] : []),
    ...[...duplicates].map((kind) => `A menu offers '${kind}' twice: rename one with named().`),
    ...(hasDefault ? [] : [`The default kind '${preferred}' is not one of the paginators of the menu.`]),
    ...children.flatMap(({ faults = [] }) => faults),
    ...(children.some(isMenu) ? ['A menu of paginators cannot contain another menu.'] : []),
  ]
}
