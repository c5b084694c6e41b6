import createError from 'http-errors'
import Joi from 'joi'
import type Koa from 'koa'
import { acceptedNames, type ErrorOptions } from '#kernel/errors'
import {
  type App,
  escapePointer,
  getOrCreate,
  isWrite,
  type Operation,
  type Plugin,
  type Principal,
  type ResourceType,
} from '#kernel/plugin'
import { acceptTokens, invalidToken } from '#plugins/bearer-auth/index.ts'
import { describeKeys } from './describe.ts'
import { apiKeyScopeUnknown } from './errors.ts'
import { createKey, hashKey, isKey, keyPrefix } from './key.ts'
import { findKey, type StoredKey } from './key-table.ts'
import { CreateApiKeys } from './migration.ts'
import { neededBy } from './needed-by.ts'
import { namespace, type Scopes, toPrincipal, unknownScopes } from './scopes.ts'

export { createKey, type NewKey } from './key.ts'
export { type Scopes, unknownScopes } from './scopes.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Whether the resources are API keys: a create generates a key, which its response shows once in `meta.key`. */
    readonly issuesApiKeys?: boolean
  }
}

export interface ApiKeyOptions {
  /** The roles of each scope. A key has the roles of its scopes. */
  readonly scopes?: Scopes
}

/** Authentication by API keys, which bearer-auth accepts beside its tokens: `Authorization: Bearer key_…`. */
export function apiKeys({ scopes = {} }: ApiKeyOptions = {}): Plugin {
  /** The keys that a request has created, by id. */
  const created = new WeakMap<Koa.Context, Map<string, string>>()
  return {
    name: 'api-keys',
    requires: ['bearer-auth'],
    keys: { issuesApiKeys: Joi.boolean() },
    neededBy,
    errors: [apiKeyScopeUnknown.definition],
    migrations: { '20260102000000_api-keys': CreateApiKeys },

    onCompile(registry) {
      for (const type of registry.types.values()) if (issuesKeys(type)) type.secretResponses.push('Create')
    },

    setup(app) {
      acceptTokens(app, { prefix: keyPrefix, namespace, verify: (token) => verify(app, token, scopes) })
    },

    plan({ kind, type, action, beforeSave, meta }) {
      if (!kind || !type || !issuesKeys(type)) return
      if (isWrite(kind) && !action) beforeSave.push(prepareKey)
      if (kind !== 'Create') return
      meta.push((shown, { ctx }) => {
        const tokens = shown === type ? created.get(ctx) : undefined
        return tokens ? ({ id }) => (tokens.has(String(id)) ? { key: tokens.get(String(id)) } : undefined) : null
      })
    },

    describe: (draft) => describeKeys(draft, issuesKeys),
  }

  /** Checks the scopes, and sets the values of a new key. */
  function prepareKey(operation: Operation, entity: object | null): void {
    const { kind, context } = operation
    const row = entity as KeyRow
    checkScopes(row.scopes, scopes, operation)
    if (kind !== 'Create') return
    const { token, start, hash } = createKey()
    Object.assign(row, { start, hash })
    if (context.request) getOrCreate(created, context.request.ctx, () => new Map()).set(row.id, token)
  }
}

interface KeyRow extends StoredKey {
  start: string
  hash: string
}

function issuesKeys({ declaration }: ResourceType): boolean {
  return declaration.issuesApiKeys === true
}

function checkScopes(given: readonly string[], scopes: Scopes, operation: Operation): void {
  const unknown = unknownScopes(given, scopes)
  if (unknown.length === 0) return
  const accepted = acceptedNames(Object.keys(scopes), ...unknown)
  throw apiKeyScopeUnknown({ scopes: unknown, accepted }, sourceOfScopes(operation))
}

/** The attribute with the scopes. Empty if it was not sent: a stored scope is no longer defined. */
function sourceOfScopes({ target, input }: Operation): Pick<ErrorOptions, 'source'> {
  const sent = target.type.attributes.find(
    ({ name, property }) => property === 'scopes' && Object.hasOwn(input?.attributes ?? {}, name),
  )
  return sent ? { source: { pointer: `/data/attributes/${escapePointer(sent.name)}` } } : {}
}

async function verify({ store, logger }: App, token: string, scopes: Scopes): Promise<Principal> {
  const refused = () => invalidToken('The API key is unknown, expired or revoked.')
  if (!isKey(token)) throw refused()
  const key = await findKey((sql, parameters) => store.query(sql, parameters), hashKey(token)).catch((error) => {
    logger?.warn({ err: error }, 'API keys cannot be read; requests with a key return 503.')
    throw createError(503, 'API keys cannot be verified. Retry later.', { headers: { 'Retry-After': '5' } })
  })
  if (!key) throw refused()
  return toPrincipal(key, scopes)
}
