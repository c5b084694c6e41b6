import { phrase } from '#kernel/errors'
import {
  type ApiResponse,
  type App,
  isData,
  type Member,
  type PlanBuilder,
  type Reply,
  type Target,
} from '#kernel/plugin'
import { preconditionFailed } from './errors.ts'
import { digest, matchesWeakly, parseTags, type TagList, versionIn } from './parse-entity-tags.ts'
import { buildVersion, linkageVersion } from './version.ts'

/**
 * Returns the step that sets the ETag of a response: `"<version>-<digest of the body>"` for a resource at its own URL and for
 * linkage, `"<digest>"` for other reads. Returns 304 for a conditional GET whose tag matches. Keeps an ETag that is set already.
 */
export function tagResponse(endpoint: Pick<PlanBuilder, 'kind' | 'type' | 'relation'>): (reply: Reply) => void {
  const mayHaveTag = hasTag(endpoint)
  return (reply) => {
    const { ctx, response } = reply
    const isRead = response.status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD')
    const existing = ctx.response.get('ETag')
    const isTagged = mayHaveTag && (isRead || isWritten(response))
    const tag = existing ? (/^"(.*)"$/.exec(existing)?.[1] ?? null) : isTagged ? createTag(reply) : null
    if (tag === null) return
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = ctx.headers
    if (isRead && ifMatch !== undefined && !matchesStrongly(parseTags(ifMatch), tag)) {
      const reason = phrase('the resource has another version; read it again and send its new ETag in If-Match')
      throw preconditionFailed({ reason }, { source: { header: 'If-Match' } })
    }
    ctx.set('ETag', `"${tag}"`)
    if (!isRead || ifNoneMatch === undefined || !matchesWeakly(parseTags(ifNoneMatch), tag)) return
    ctx.body = null
    ctx.status = 304
  }
}

/** Whether successful responses of the endpoint have a tag: to digest a page costs about a tenth of the request. */
export function hasTag({ kind, type, relation }: Pick<PlanBuilder, 'kind' | 'type' | 'relation'>): boolean {
  if (kind === null || type === null) return false
  const { etags, cacheHeaders } = type.declaration as { etags?: boolean; cacheHeaders?: unknown }
  const isPage = kind === 'FetchCollection' || (kind === 'FetchRelated' && relation?.toMany === true)
  return !isPage || (etags ?? cacheHeaders !== undefined)
}

/** Null for a response without a document. */
function createTag({ ctx: { body }, exchange: { app, request }, response }: Reply): string | null {
  if (!request?.target || (typeof body !== 'string' && !Buffer.isBuffer(body))) return null
  const version = versionShown(response, request.target, app)
  return version === null ? digest(body) : `${version}-${digest(body)}`
}

/** Whether the response shows the resource or the linkage that was written. */
function isWritten({ kind, status }: ApiResponse): boolean {
  return (kind === 'data' || kind === 'identifier') && (status === 200 || status === 201)
}

/** The version that a write with If-Match compares. Null if the response shows something else. */
function versionShown(response: ApiResponse, target: Target, app: App): string | null {
  if (response.kind === 'identifier') return linkageVersion(response)
  if (!isData(response) || Array.isArray(response.data) || !response.data) return null
  const member = response.data as Member
  const isOwnUrl = target.kind === 'resource' || response.status === 201
  return isOwnUrl || isSubject(member, target) ? buildVersion(member.type, member.record, app) : null
}

/** Whether the resource is the one on which an action has run. */
function isSubject({ type, record }: Member, { kind, id, type: subjectType }: Target): boolean {
  return kind === 'action' && type === subjectType && type.codec.encode(record[type.id.property]) === id
}

/** Strong comparison. The version alone is enough: it does not depend on `fields`, `include` and the language. */
function matchesStrongly(tags: TagList, tag: string): boolean {
  return tags === '*' || tags.some(({ value, isWeak }) => !isWeak && versionIn(value) === versionIn(tag))
}
