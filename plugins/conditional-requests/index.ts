import Joi from 'joi'
import {
  type ApiRequest,
  type ApiResponse,
  type Document,
  isWrite,
  type Operation,
  type Plugin,
  type Precondition,
} from '#kernel/plugin'
import { addNeeds } from '#kernel/queries'
import { tagResponse } from './create-entity-tag.ts'
import { describeConditions } from './describe.ts'
import { preconditionFailed, preconditionRequired } from './errors.ts'
import { neededBy } from './needed-by.ts'
import { readPrecondition, requireMemberConditions } from './precondition.ts'
import { applyVersions, selectVersions, showsVersions, versionMeta, versionsUris } from './profile.ts'
import { profileRoutes } from './profile-page.ts'
import { linkageVersion, versionNeeds } from './version.ts'

export { versionsProfile, versionsUrn } from './profile.ts'

declare module '#kernel' {
  interface ApiFacts {
    /** Writes accept `If-Match`. */
    readonly etags: true
  }
  interface ResourceKeys<Entity> {
    /** Sets an ETag on collections. Default: true if the type declares `cacheHeaders`. Single resources always have one. */
    readonly etags?: boolean
    /**
     * Rejects updates, deletions, relationship writes and actions of a resource without `If-Match`, and writes of its parent
     * that delete it: 428.
     */
    readonly requireIfMatch?: boolean
  }
}

/**
 * Conditional requests: ETag, `If-None-Match` (304), and `If-Match` (412) against lost updates (optimistic locking).
 * https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests
 */
export function conditionalRequests(): Plugin {
  return {
    name: 'conditional-requests',
    keys: { etags: Joi.boolean(), requireIfMatch: Joi.boolean() },
    environment: { ETAG_SECRET: Joi.string().min(32) },
    errors: [preconditionFailed.definition, preconditionRequired.definition],
    profiles: versionsUris,
    routes: profileRoutes,
    neededBy,

    onCompile({ types, fail }) {
      for (const type of types.values()) {
        if (type.declaration.requireIfMatch && !type.persister.transactional) {
          fail(type, 'requireIfMatch', 'Rows of this type cannot be locked, so no version could be compared.')
        }
      }
    },

    onQuery({ app, server, kind, target: { type, action }, profiles }, query) {
      if (!profiles) return
      if (showsVersions({ profiles })) selectVersions(query, server, app)
      else if (kind === 'FetchOne' || kind === 'Create' || kind === 'Update' || action?.shows === type) {
        addNeeds(query, type, versionNeeds(type, app))
      }
    },

    planType({ type, checkRows }) {
      if (type.declaration.requireIfMatch) checkRows.push({ of: 'members', check: requireMemberConditions })
    },

    plan({ kind, type, relation, profiles, begin, precondition, meta, document, respond }) {
      if (kind && isWrite(kind)) precondition.push(createPrecondition)
      respond.push(tagResponse({ kind, type, relation }))
      if (!showsVersions({ profiles })) return
      begin.push(applyVersions)
      meta.push(versionMeta)
      document.push(addLinkageVersion)
    },

    describe: describeConditions,
  }
}

function createPrecondition(operation: Operation): Precondition | null {
  const { request, server } = operation.requester
  // `onQuery` does not run for the operations of a batch, which have no query string.
  const isInBatch = request !== null && operation.context.sharesUnit
  if (isInBatch && showsVersions(request.media)) selectVersions(operation.query, server, request.app)
  return readPrecondition(operation)
}

function addLinkageVersion(_: ApiRequest, document: Document, response: ApiResponse): void {
  const version = response.kind === 'identifier' ? linkageVersion(response) : null
  if (version !== null) document.meta = { ...document.meta, version }
}
