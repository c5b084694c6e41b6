import type { PageParams, Paginator, Query } from '#kernel/plugin'
import { paginationKindUnknown } from './errors.ts'
import type { Strategy } from './strategy.ts'

/** Several strategies, of which the request selects one. */
export interface Menu extends Paginator {
  readonly children: readonly Strategy[]
  readonly preferred: string | undefined
  /** The strategy of a request that selects none; the first child when not said. */
  defaultKind(kind: string): Menu
}

export function menu(...children: readonly Strategy[]): Menu {
  return createMenu(children, undefined)
}

/** Used as a paginator itself, a menu is its default. */
function createMenu(children: readonly Strategy[], preferred: string | undefined): Menu {
  const fallback = defaultOf(children, preferred) as Strategy
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

function defaultOf(children: readonly Strategy[], preferred: string | undefined): Strategy | undefined {
  return children.find(({ kind }) => kind === preferred) ?? children[0]
}

/** The kind that was sent, else the owner of a key that was sent, else the default. */
export function chooseFrom(
  children: readonly Strategy[],
  { preferred }: Menu,
  params: PageParams,
  query: Pick<Query, 'faults'>,
): Strategy | undefined {
  const { kind } = params
  if (kind === undefined) {
    return children.find(({ selectedBy }) => selectedBy.some((key) => key in params)) ?? defaultOf(children, preferred)
  }
  const chosen = children.find((child) => child.kind === kind)
  if (!chosen) {
    const kinds = children.map((child) => `'${child.kind}'`)
    query.faults.push(paginationKindUnknown({ kind, kinds }, { source: { parameter: 'page[kind]' } }))
  }
  return chosen
}

/** What is wrong with a menu, each a sentence. */
export function menuFaults({ children, preferred }: Menu): string[] {
  const kinds = children.map(({ kind }) => kind)
  const twice = new Set(kinds.filter((kind, index) => kinds.indexOf(kind) !== index))
  const hasDefault = preferred === undefined || kinds.includes(preferred)
  return [
    ...(children.length === 0 ? ['A menu of paginators offers at least one.'] : []),
    ...[...twice].map((kind) => `A menu offers '${kind}' twice: give one another name with named().`),
    ...(hasDefault ? [] : [`The default kind '${preferred}' of a menu is none of its paginators.`]),
    ...(children.some(isMenu) ? ['A menu of paginators cannot stand in another.'] : []),
  ]
}
