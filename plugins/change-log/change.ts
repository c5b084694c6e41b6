import type { ResourceType, Row } from '#kernel/plugin'

/**
 * `related`: members of a relationship were added, removed or changed their pivot values by rows of other tables. A soft
 * deletion is `deleted`, and its end `restored`.
 */
export const changeKinds = ['created', 'updated', 'deleted', 'restored', 'related'] as const
export type ChangeKind = (typeof changeKinds)[number]

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

/** A row of the log, as `takenColumns` select it. */
export interface LoggedChange extends Omit<Change, 'id'> {
  /** The primary key as text. */
  readonly key: string
}

/** A row of the log with values, as `changeColumns` select it. */
export interface LogRow extends LoggedChange {
  /** The values of the changed members before and after, as texts. Null without `history: true`. */
  readonly before: Readonly<Record<string, string | null>> | null
  readonly after: Readonly<Record<string, string | null>> | null
}

const time = `to_char(l.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const members = `'sequence', l.sequence::text, 'type', l.type, 'key', l.key, 'kind', l.kind, 'members', to_jsonb(l.members),
  'principal', l.principal, 'requestId', l.request, 'changedAt', ${time}`
/** One JSON value for each row, so that drivers do not convert its parts. */
export const changeColumns = `jsonb_build_object(${members}, 'before', l.before, 'after', l.after)::text as change`
/** Without the values, which may be large and are not delivered. */
export const takenColumns = `jsonb_build_object(${members})::text as change`

export function toLogRow({ change }: Row): LogRow {
  return JSON.parse(change as string)
}

export function toChange(type: ResourceType, row: LoggedChange): Change {
  const { sequence, kind, principal, requestId, changedAt } = row
  const members = shownMembers(type, row)
  return { sequence, kind, type: type.name, id: toWireId(type, row.key), members, principal, requestId, changedAt }
}

/** The changed members of this version of the type. Another version that runs may record others. */
export function shownMembers({ fields }: ResourceType, { members }: LoggedChange): readonly string[] {
  return members.filter((name) => fields.has(name))
}

/** The id on the wire of a key that is stored as text. */
function toWireId(type: ResourceType, key: string): string {
  return type.codec.encode(parseKey(type, key))
}

export function parseKey({ id, shape }: ResourceType, key: string): unknown {
  return shape.properties.get(id.property)?.parse(key) ?? key
}
