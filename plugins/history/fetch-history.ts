import { findParent, notFound, runChecks } from '#kernel/operations'
import {
  type Action,
  type ApiResponse,
  type Attribute,
  type Context,
  codecOf,
  type Operation,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { filterRows, keyQuery } from '#kernel/queries'
import { changeColumns, type LogRow, parseKey, toLogRow } from '#plugins/change-log/index.ts'
import { type Conversions, findConversions } from './logged-values.ts'

export const pageParameter = 'historyBefore'
/** Changes on a page. */
export const pageSize = 50

/** Characters of stored values on a page, which has at least one change. */
const pageCharacters = 1_000_000

/**
 * The changes of a resource, newest first. Sends one statement for the resource, one for whether the requester sees it, one for
 * the page, and one for each type of related resources.
 */
export async function fetchHistory(operation: Operation): Promise<ApiResponse> {
  const { context, query, target } = operation
  const { type, id = '' } = target
  const subject = await findParent(operation) // 404
  const early = await runChecks(operation, subject) // 401, 403
  if (early) return early
  const key = String(subject[type.id.property])
  if (!(await visibleKeysOf(type, [key], context)).has(key)) notFound(type, id)
  const members = shownMembers(type, operation)
  const before = query.requested.get(pageParameter)
  const page = await readPage(type, key, before === undefined ? null : String(before), members, context)
  const visible = await visibleKeys(page.rows, members, context)
  const conversions = findConversions(type, [...members.values()], context.unit)
  const data = page.rows
    .filter((row) => row.kind !== 'related' || showsMember(row, members, visible))
    .map((row) => ({
      type: 'changes',
      id: row.sequence,
      attributes: historyAttributes(row, { members, visible, conversions }),
    }))
  const last = page.rows.at(-1)
  const next = page.isLast || !last ? {} : { meta: { next: last.sequence } }
  return { kind: 'document', status: 200, document: { data, ...next } }
}

/** Whether an action is a history. An action of an application may have the same name. */
export function isHistory(action: Action | null | undefined): boolean {
  return action?.run === fetchHistory
}

interface HistoryPage {
  readonly rows: readonly LogRow[]
  readonly isLast: boolean
}

/**
 * Changes since the creation of the resource: an earlier one with the same id may have had another owner. Updates of members that
 * are not shown are left out.
 */
async function readPage(
  type: ResourceType,
  key: string,
  before: string | null,
  members: Members,
  { unit }: Context,
): Promise<HistoryPage> {
  const rows = await unit.run(
    `select ${changeColumns}, l.candidates::int as candidates from (
       select c.*, count(*) over () as candidates,
         sum(characters) over (order by c.sequence desc rows between unbounded preceding and 1 preceding) as preceding
       from (
         select r.*, coalesce(length(r.before::text), 0) + coalesce(length(r.after::text), 0) as characters
         from change_log r where r.type = $1 and r.key = $2 and ($3::bigint is null or r.sequence < $3::bigint)
           and r.sequence >= coalesce((
            select c.sequence from change_log c where c.type = $1 and c.key = $2 and c.kind = 'created'
            order by c.sequence desc limit 1
          ), 0)
          and (r.kind not in ('updated', 'related')
             or r.members && array(select jsonb_array_elements_text($4::jsonb)))
         order by r.sequence desc limit ${pageSize + 1}
       ) c
     ) l where coalesce(l.preceding, 0) < ${pageCharacters} order by l.sequence desc limit ${pageSize}`,
    [type.name, key, before, JSON.stringify([...members.keys()])],
  )
  return { rows: rows.map(toLogRow), isLast: Number(rows[0]?.candidates ?? 0) === rows.length }
}

type Members = ReadonlyMap<string, Attribute | Relation>

/** The fields that are not hidden from the requester: their changes are shown. */
function shownMembers(type: ResourceType, { query: { visibility } }: Operation): Members {
  const fields = [...type.attributes, ...type.relations].filter(
    (field) => field.hidden === false && !visibility?.hides(field) && !isRestricted(field),
  )
  return new Map(fields.map((field) => [field.name, field]))
}

/** Whether only some requests show the field: a write-only attribute, a relation with an ability of its own. */
function isRestricted(field: Attribute | Relation): boolean {
  return field.role === 'attribute' ? field.writeOnly !== false : field.hasReadAbility
}

type Values = Readonly<Record<string, string | null>>

/** The stored keys of related resources that the requester sees now, by type. */
async function visibleKeys(
  rows: readonly LogRow[],
  members: Members,
  context: Context,
): Promise<ReadonlyMap<ResourceType, ReadonlySet<string>>> {
  const keys = new Map<ResourceType, Set<string>>()
  for (const values of rows.flatMap(({ before, after }) => [before ?? {}, after ?? {}])) {
    for (const [name, value] of Object.entries(values)) {
      const field = members.get(name)
      if (field?.role !== 'relation' || value === null || field.targets.length > 1) continue
      keys.set(field.target, (keys.get(field.target) ?? new Set()).add(value))
    }
  }
  const visible = new Map<ResourceType, ReadonlySet<string>>()
  for (const [type, texts] of keys) visible.set(type, await visibleKeysOf(type, [...texts], context))
  return visible
}

/** The keys of the resources that the requester sees. */
async function visibleKeysOf(
  type: ResourceType,
  texts: readonly string[],
  context: Context,
): Promise<ReadonlySet<string>> {
  const keys = texts.map((text) => parseKey(type, text))
  const found = await type.provider.many(type, keys, keyQuery(type), context)
  const shown = await filterRows(type, found, context)
  return new Set(shown.map((row) => String(row[type.id.property])))
}

/**
 * Whether the requester sees the resource that was added or removed. The log has no key of members of a relation through an
 * entity, whose changes are shown without it; other entries without a key are from a time before the type had a history.
 */
function showsMember(
  { before, after, members: names }: LogRow,
  members: Members,
  visible: ReadonlyMap<ResourceType, ReadonlySet<string>>,
): boolean {
  const kept = [before, after].flatMap((values) => Object.entries(values ?? {}))
  if (kept.length === 0) return names.every((name) => isThroughEntity(members.get(name)))
  return kept.every(([name, text]) => {
    const field = members.get(name)
    return field?.role === 'relation' && text !== null && visible.get(field.target)?.has(text) === true
  })
}

function isThroughEntity(field: Attribute | Relation | undefined): boolean {
  return field?.role === 'relation' && field.throughProperty !== null
}

/** What is needed to show the values of a page. */
interface Rendering {
  readonly members: Members
  readonly visible: ReadonlyMap<ResourceType, ReadonlySet<string>>
  readonly conversions: Conversions
}

function historyAttributes(
  { kind, members: names, before, after, principal, requestId, changedAt }: LogRow,
  rendering: Rendering,
) {
  return {
    kind,
    members: names.filter((name) => rendering.members.has(name)),
    before: before && toWire(before, rendering),
    after: after && toWire(after, rendering),
    principal,
    requestId,
    changedAt,
  }
}

/** The values as documents show them. Leaves out those that cannot be shown. */
function toWire(values: Values, { members, visible, conversions }: Rendering) {
  const shown: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(values)) {
    const field = members.get(name)
    if (!field) continue
    const value =
      text === null ? null : field.role === 'attribute' ? attributeValue(field, text, conversions) : undefined
    if (value !== undefined) shown[name] = value
    else if (field.role === 'relation' && text !== null && visible.get(field.target)?.has(text))
      shown[name] = { type: field.target.name, id: field.target.codec.encode(parseKey(field.target, text)) }
  }
  return shown
}

/** Undefined if the value of the document is computed, or the text is of a former type of the column. */
function attributeValue(attribute: Attribute, text: string, conversions: Conversions): unknown {
  const value = conversions.get(attribute.name)?.(text)
  if (value === undefined || value === null) return value
  const { toWire: convert } = codecOf(attribute)
  return convert ? convert(value) : value
}
