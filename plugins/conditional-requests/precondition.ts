import { type ErrorSource, type Phrase, phrase } from '#kernel/errors'
import { hasSubject } from '#kernel/operations'
import {
  type ApiRequest,
  isRelationshipWrite,
  type MemberWrite,
  type Operation,
  type Precondition,
  type ResourceType,
} from '#kernel/plugin'
import { preconditionFailed, preconditionRequired } from './errors.ts'
import { type EntityTag, parseTags, type TagList, versionIn } from './parse-entity-tags.ts'
import { readsVersions } from './profile.ts'
import { hasRowVersion, storedLinkageVersion, storedVersion } from './version.ts'

/** A condition of a write: the version that it names, and the part of the request that names it. */
interface Condition {
  readonly tags: TagList
  readonly source: ErrorSource
}

/** What a request demands of the version of a subject. */
interface Conditions {
  /** Each must match: If-Match, and `meta.version` of the document or the operation. */
  readonly match: readonly Condition[]
  /** Must not match. */
  readonly noneMatch: Condition | null
}

/** The precondition of a write. Null if the request has none. */
export function readPrecondition(operation: Operation): Precondition | null {
  const { request } = operation.requester
  if (!request) return null
  const { type } = operation.target
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.ctx.headers
  const isNamed = ifMatch !== undefined || ifNoneMatch !== undefined || (operation.sentMeta?.length ?? 0) > 0
  if (!isNamed && !type.declaration.requireIfMatch) return null
  const conditions = readConditions(operation, request)
  const { match, noneMatch } = conditions
  if (match.length === 0 && type.declaration.requireIfMatch && hasSubject(operation)) return () => refuse(type.name)
  if (match.length === 0 && !noneMatch) return null
  if (isMetByAnyRow(conditions, operation)) return null
  const checkSubject = (subject: object | null) => check(conditions, operation, subject)
  const versions = comparedVersions(conditions, operation)
  return versions ? { versions, check: checkSubject } : checkSubject
}

/** Whether `If-Match: *` is the only condition: an update or a deletion has a row. */
function isMetByAnyRow({ match, noneMatch }: Conditions, { context, kind }: Operation): boolean {
  if (noneMatch || (context.sharesUnit && match.some(({ source }) => 'header' in source))) return false
  return (kind === 'Update' || kind === 'Delete') && match.every(({ tags }) => tags === '*')
}

/** The versions that a statement can compare with that of the row. Undefined if the condition needs the stored row. */
function comparedVersions(
  { match, noneMatch }: Conditions,
  { context, kind, target }: Operation,
): readonly string[] | undefined {
  const [condition, ...others] = match
  if (!condition || others.length > 0 || noneMatch || (context.sharesUnit && 'header' in condition.source))
    return undefined
  if ((kind !== 'Update' && kind !== 'Delete') || !hasRowVersion(target.type, context.app)) return undefined
  if (condition.tags === '*') return undefined
  return condition.tags.filter(({ isWeak }) => !isWeak).map(({ value }) => versionIn(value))
}

/**
 * Throws 428 for members that a write of their parent deletes if their type requires If-Match and the write has no condition.
 * The condition names the version of the parent or of its linkage, which the write compares.
 */
export function requireMemberConditions(type: ResourceType, writes: readonly MemberWrite[]): void {
  const deletion = writes.find(({ operation }) => operation.kind === 'Delete')?.operation
  const request = deletion?.requester.request
  if (request && readConditions(deletion, request).match.length === 0) refuse(type.name)
}

function refuse(type: string): never {
  throw preconditionRequired({ type }, { source: { header: 'If-Match' } })
}

/** The headers of a batch belong to its URL, not to its operations. */
function readConditions(operation: Operation, request: ApiRequest): Conditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.ctx.headers
  const { sentMeta = [], context } = operation
  const match: Condition[] = []
  if (ifMatch !== undefined) {
    match.push({ tags: context.sharesUnit ? [] : parseTags(ifMatch), source: { header: 'If-Match' } })
  }
  for (const { values, pointer } of sentMeta) {
    if (!('version' in values) || !readsVersions(request)) continue
    const { version } = values
    const tags = typeof version === 'string' ? [{ value: version, isWeak: false }] : []
    match.push({ tags, source: { pointer: `${pointer}/version` } })
  }
  const source = { header: 'If-None-Match' }
  const noneMatch = ifNoneMatch === undefined || context.sharesUnit ? null : { tags: parseTags(ifNoneMatch), source }
  return { match, noneMatch }
}

/** Without a subject there is no version: If-Match never matches, and If-None-Match always allows the write. */
async function check({ match, noneMatch }: Conditions, operation: Operation, subject: object | null): Promise<void> {
  const failed = operation.context.sharesUnit && match.find(({ source }) => 'header' in source)
  if (failed) throw failure(phrase('a batch takes meta.version of each operation in place of If-Match'), failed)
  if (!subject) {
    const [first] = match
    if (first) throw failure(missing(operation), first)
    return
  }
  const lists = [...match, ...(noneMatch ? [noneMatch] : [])].map(({ tags }) => tags)
  const stored = lists.every((tags) => tags === '*' || tags.length === 0)
    ? 'notRead'
    : { version: await currentVersion(operation, subject) }
  for (const condition of match) {
    if (!matchesVersion(condition.tags, stored, ({ isWeak }) => !isWeak))
      throw failure(mismatch(operation, stored), condition)
  }
  if (noneMatch && matchesVersion(noneMatch.tags, stored, () => true)) {
    throw failure(phrase('If-None-Match matches the stored version'), noneMatch)
  }
}

/**
 * Null if the row has no version, or cannot be locked: then no tag matches, because another write could follow the
 * comparison.
 */
async function currentVersion(operation: Operation, subject: object): Promise<string | null> {
  if (!operation.target.type.persister.transactional) return null
  return isRelationshipWrite(operation.kind)
    ? storedLinkageVersion(operation, subject)
    : storedVersion(operation, subject)
}

/** The version of a row, which is read only if a tag is compared with it. */
type StoredVersion = { readonly version: string | null } | 'notRead'

function matchesVersion(tags: TagList, stored: StoredVersion, compares: (tag: EntityTag) => boolean): boolean {
  if (tags === '*') return true
  return stored !== 'notRead' && tags.some((tag) => compares(tag) && versionIn(tag.value) === stored.version)
}

function missing({ kind }: Operation): Phrase {
  return kind === 'Action'
    ? phrase('the action is of the collection, which has no version; send no If-Match')
    : phrase('a new resource has no version')
}

function mismatch({ kind, target: { type } }: Operation, stored: StoredVersion): Phrase {
  const hasNoVersion = stored !== 'notRead' && stored.version === null
  if (!type.persister.transactional || (hasNoVersion && !isRelationshipWrite(kind)))
    return phrase("rows of '{type}' cannot be locked; send If-Match: *", { type: type.name })
  return phrase('the resource has another version; read it again and send its new ETag in If-Match')
}

function failure(reason: Phrase, { source }: Condition): Error {
  return preconditionFailed({ reason }, { source })
}
