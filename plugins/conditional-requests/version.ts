import { currentLinkage, renderIdentifiers } from '#kernel/operations'
import type { App, IdentifierResponse, Operation, ResourceType, Row } from '#kernel/plugin'
import { loadRecords, versionKey, wholeRow } from '#kernel/queries'
import { keyedDigest } from './keyed-digest.ts'
import { digest } from './parse-entity-tags.ts'

/** The names to select so that `buildVersion` can read the version of a record. A provider may delegate to the store. */
export function versionNeeds(type: ResourceType, app: App): readonly string[] {
  if (hasRowVersion(type, app)) return [versionKey]
  return type.isStandalone ? wholeRow(type) : [versionKey, ...wholeRow(type)]
}

/** The version of a record. Null if its version was not selected, or if it needs a key and there is none. */
export function buildVersion(type: ResourceType, record: Row, app: App): string | null {
  const version = record[versionKey]
  // The version of a view is the text of the row, in parentheses.
  if (typeof version === 'string') return version.includes('(') ? keyedDigest(version, app) : version
  return hasRowVersion(type, app) ? null : keyedDigest(rowText(type, record), app)
}

/** The version of the locked subject of a write. Reads it by one statement, unless the locked row holds it. */
export async function storedVersion({ target: { type }, context }: Operation, subject: object): Promise<string | null> {
  const { app } = context
  const selected = hasRowVersion(type, app) ? buildVersion(type, subject as Row, app) : null
  if (selected !== null) return selected
  const key = type.persister.keyOf(type, subject)
  const [record] = await loadRecords(type, [key], versionNeeds(type, app), context)
  return record ? buildVersion(type, record, app) : null
}

/** The version of a relationship: a digest of its whole linkage. Null for a page of the linkage. */
export function linkageVersion(response: IdentifierResponse): string | null {
  const { request } = response.operation.requester
  if (!request || response.edge.page) return null
  return digest(renderIdentifiers(response, request).pieces.join(''))
}

/** The version of the relationship whose parent is locked. */
export async function storedLinkageVersion(operation: Operation, parent: object): Promise<string | null> {
  const linkage = await currentLinkage(operation, parent)
  return linkage && linkageVersion(linkage)
}

/** Whether the store selects a version with the rows of the type. */
export function hasRowVersion({ provider }: ResourceType, { store }: App): boolean {
  return provider === store.provider
}

/** All columns. Other providers may return more values than the query selects: a missing value is null. */
function rowText(type: ResourceType, record: Row): string {
  const columns = wholeRow(type).map((name) => toJson(record[name]))
  const toOnes = type.relations.filter(({ toMany }) => !toMany)
  const keys = toOnes.map(({ property }) => toKey(record[property as string]))
  return JSON.stringify([columns, keys])
}

function toJson(value: unknown): unknown {
  return JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? String(part) : part)) ?? null
}

/** The key that a row in memory holds. Null for the objects of entities, which may refer to each other. */
function toKey(held: unknown): string | null {
  const key = typeof held === 'object' && held !== null ? (held as { readonly key?: unknown }).key : held
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint' ? String(key) : null
}
