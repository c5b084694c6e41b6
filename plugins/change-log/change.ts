import type { ResourceType, Row } from '#kernel/plugin'

/**
 * `related`: members of a relationship were added or removed by rows of other tables. A soft deletion is `deleted`, and its
 * end `restored`.
 */
export type ChangeKind = 'created' | 'updated' | 'deleted' | 'restored' | 'related'

/** A committed change of one resource. */
export interface Change {
  /** The position in the log. Changes of a resource are ordered by it. */
  readonly sequence: string
  readonly kind: ChangeKind
  readonly type: string
  /** The id on the wire. */
  readonly id: string
  /** The attributes and relationships that changed, in alphabetical order. Empty for a deletion. */
  readonly members: readonly string[]
  /** The identifier of the principal. Null if it is not known, such as for jobs and SQL of the application. */
  readonly principal: string | null
  /** The id of the HTTP request. */
  readonly requestId: string | null
  /** The time in ISO 8601. */
  readonly changedAt: string
}

/** A row of the log, as `changeColumns` select it. */
export interface LogRow extends Omit<Change, 'id'> {
  /** The primary key as text. */
  readonly key: string
  /** The values of the changed members before and after, as texts. Null without `history: true`. */
  readonly before: Readonly<Record<string, string | null>> | null
  readonly after: Readonly<Record<string, string | null>> | null
}

const time = `to_char(l.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** One JSON value for each row, so that drivers do not convert its parts. */
export const changeColumns = `jsonb_build_object('sequence', l.sequence::text, 'type', l.type, 'key', l.key,
  'kind', l.kind, 'members', to_jsonb(l.members), 'before', l.before, 'after', l.after, 'principal', l.principal,
  'requestId', l.request, 'changedAt', ${time})::text as change`

export function toLogRow({ change }: Row): LogRow {
  return JSON.parse(change as string)
}

export function toChange(type: ResourceType, row: LogRow): Change {
  const { sequence, kind, members, principal, requestId, changedAt } = row
  return { sequence, kind, type: type.name, id: idOf(type, row.key), members, principal, requestId, changedAt }
}

/** The id on the wire of a key that is stored as text. */
export function idOf(type: ResourceType, key: string): string {
  return type.codec.encode(keyOf(type, key))
}

export function keyOf({ id, shape }: ResourceType, key: string): unknown {
  return shape.properties.get(id.property)?.parse(key) ?? key
}
