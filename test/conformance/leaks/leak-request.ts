import type { Relation, ResourceType } from '#kernel'
import type { Server } from '#kernel/plugin'
import { sampleValue } from '../sample.ts'

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
  /** Whether the response has the writes of other requests, so that it is not compared with the one without the hidden rows. */
  readonly showsWrites?: boolean
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

export function buildUrl({ prefix }: Server, { uriType }: ResourceType, id?: string): string {
  return `${prefix}/${uriType}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function relationsTo(root: ResourceType, type: ResourceType): readonly Relation[] {
  return root.relations.filter(({ targets }) => targets.includes(type))
}

/** Returns valid values of the pivot fields that clients may send. */
export function samplePivot({ pivotFields }: Relation): object {
  const written = pivotFields.filter(({ readOnlyOnCreate }) => readOnlyOnCreate !== true)
  return Object.fromEntries(written.map((field) => [field.name, sampleValue(field, 1)]))
}

/** Returns the URL of the history of a resource. Empty without `history: true`, which a plugin declares. */
export function historyUrls(server: Server, type: ResourceType, id: string): string[] {
  const { history } = type.declaration as { readonly history?: boolean }
  return history === true ? [`${buildUrl(server, type, id)}/-history`] : []
}

export function read(path: string): LeakRequest {
  return { method: 'GET', path }
}
