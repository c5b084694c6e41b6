import type { Relation, ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'

/** A request that may lead to hidden rows. */
export interface Way {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** It is about the URL of the hidden row itself. */
  readonly own?: boolean
  /** It is decided by an ability of a relation, and not by one of the row. */
  readonly bySecurity?: boolean
}

/** Rows of a type that are hidden, and what is known of them and of the others. */
export interface Hidden {
  readonly type: ResourceType
  readonly ids: readonly string[]
  /** What they hold, by the name of the attribute. */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The rows of every type that can be seen. */
  readonly visible: ReadonlyMap<ResourceType, readonly string[]>
}

export function urlOf({ prefix }: Server, { uriType }: ResourceType, id?: string): string {
  return `${prefix}/${uriType}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function relationsTo(root: ResourceType, type: ResourceType): readonly Relation[] {
  return root.relations.filter(({ targets }) => targets.includes(type))
}

/** Values with which an association row is right. */
export function pivotOf({ pivotFields }: Relation): object {
  return Object.fromEntries(pivotFields.map(({ name }) => [name, 1]))
}

export function read(path: string): Way {
  return { method: 'GET', path }
}
