import type { Relation, ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import { sampleOf } from '../sample.ts'

/** A request that could reveal or change hidden rows. */
export interface LeakRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the URL is that of the hidden row itself. */
  readonly isOwnUrl?: boolean
  /** Whether an ability of a relation decides, and not one of the row. */
  readonly isDecidedByRelation?: boolean
}

/** Hidden rows of a type, their values, and the visible rows. */
export interface HiddenRows {
  readonly type: ResourceType
  readonly ids: readonly string[]
  /** Their values by attribute name. */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The ids of the visible rows by type. */
  readonly visible: ReadonlyMap<ResourceType, readonly string[]>
}

export function urlOf({ prefix }: Server, { uriType }: ResourceType, id?: string): string {
  return `${prefix}/${uriType}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function relationsTo(root: ResourceType, type: ResourceType): readonly Relation[] {
  return root.relations.filter(({ targets }) => targets.includes(type))
}

/** Returns valid values of the pivot fields that clients may send. */
export function pivotOf({ pivotFields }: Relation): object {
  const written = pivotFields.filter(({ readOnlyOnCreate }) => readOnlyOnCreate !== true)
  return Object.fromEntries(written.map((field) => [field.name, sampleOf(field, 1)]))
}

export function read(path: string): LeakRequest {
  return { method: 'GET', path }
}
