import { findParent, runChecks } from '#kernel/operations'
import {
  type ApiResponse,
  type Attribute,
  type Context,
  codecOf,
  type Operation,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { filterRows, keyQuery } from '#kernel/queries'
import { changeColumns, keyOf, type LogRow, toLogRow } from '#plugins/change-log/index.ts'

export const pageParameter = 'historyBefore'
/** Changes on a page. */
export const pageSize = 50

/** The changes of a resource, newest first. Sends one statement for the page, and one for each type of related resources. */
export async function fetchHistory(operation: Operation): Promise<ApiResponse> {
  const { context, query, target } = operation
  const { type, id = '' } = target
  const subject = await findParent(operation) // 404
  const early = await runChecks(operation, subject) // 401, 403
  if (early) return early
  const before = query.requested.get(pageParameter)
  const rows = await readRows(
    type,
    String(type.codec.decode(id)),
    before === undefined ? null : String(before),
    context,
  )
  const shown = rows.slice(0, pageSize)
  const members = shownMembers(type, operation)
  const visible = await visibleKeys(shown, members, context)
  const data = shown.map((row) => ({
    type: 'changes',
    id: row.sequence,
    attributes: attributesOf(type, row, members, visible),
  }))
  const last = shown.at(-1)
  const next = rows.length > pageSize && last ? { meta: { next: last.sequence } } : {}
  return { kind: 'document', status: 200, document: { data, ...next } }
}

async function readRows(type: ResourceType, key: string, before: string | null, { unit }: Context): Promise<LogRow[]> {
  const rows = await unit.run(
    `select ${changeColumns} from change_log l
     where l.type = $1 and l.key = $2 and ($3::bigint is null or l.sequence < $3::bigint)
       and (l.kind <> 'updated' or cardinality(l.members) > 0)
     order by l.sequence desc limit ${pageSize + 1}`,
    [type.name, key, before],
  )
  return rows.map(toLogRow)
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
  if (field.role === 'attribute') return field.writeOnly !== false
  return (field.options as { readonly security?: { readonly read?: string } }).security?.read !== undefined
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
  for (const [type, texts] of keys) {
    const found = await type.provider.many(
      type,
      [...texts].map((text) => keyOf(type, text)),
      keyQuery(type),
      context,
    )
    const shown = await filterRows(type, found, context)
    visible.set(type, new Set(shown.map((row) => String(row[type.id.property]))))
  }
  return visible
}

function attributesOf(
  type: ResourceType,
  { kind, members: names, before, after, principal, requestId, changedAt }: LogRow,
  members: Members,
  visible: ReadonlyMap<ResourceType, ReadonlySet<string>>,
) {
  return {
    kind,
    members: names.filter((name) => members.has(name)),
    before: before && toWire(type, before, members, visible),
    after: after && toWire(type, after, members, visible),
    principal,
    requestId,
    changedAt,
  }
}

/** The values as documents show them. Leaves out those that cannot be shown. */
function toWire(
  type: ResourceType,
  values: Values,
  members: Members,
  visible: ReadonlyMap<ResourceType, ReadonlySet<string>>,
) {
  const shown: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(values)) {
    const field = members.get(name)
    if (!field) continue
    const value = text === null ? null : field.role === 'attribute' ? attributeValue(type, field, text) : undefined
    if (value !== undefined) shown[name] = value
    else if (field.role === 'relation' && text !== null && visible.get(field.target)?.has(text))
      shown[name] = { type: field.target.name, id: field.target.codec.encode(keyOf(field.target, text)) }
  }
  return shown
}

const structured = ['arrayList', 'arrayHash', 'map', 'obj', 'oneOf']

/** Undefined if the value of the document is computed, or the text is of a former type of the column. */
function attributeValue({ shape }: ResourceType, attribute: Attribute, text: string): unknown {
  if (attribute.serialize || attribute.extract) return undefined
  const { kind, property } = attribute
  const value = structured.includes(kind)
    ? parseJson(text)
    : kind === 'dateTime'
      ? parseTime(text)
      : shape.properties.get(property ?? '')?.parse(text)
  if (value === undefined || value === null) return value
  const { toWire: convert } = codecOf(attribute)
  return convert ? convert(value) : value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A column without a time zone holds UTC. */
function parseTime(text: string): Date | undefined {
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
