import Joi from 'joi'
import {
  type ApiRequest,
  type ApiResponse,
  type Awaitable,
  type Exchange,
  isWrite,
  markVariesByPrincipal,
  type PlannedOperation,
  type Plugin,
  type Reply,
  type RequestTransaction,
  type ResourceType,
} from '#kernel/plugin'
import { Attempt } from './attempt.ts'
import { describeKeys } from './describe.ts'
import {
  idempotencyErrors,
  idempotencyKeyInUse,
  idempotencyKeyNotAccepted,
  idempotencyKeyRequired,
  keySource,
} from './errors.ts'
import { readKey } from './key.ts'
import { AddPrincipals, CreateKeys } from './migration.ts'
import { neededBy } from './needed-by.ts'
import { removalInterval, removalJob, removalWorker } from './removal.ts'
import { checkSecretResponses, showsSecret } from './secret-responses.ts'
import { environment } from './settings.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The keys of requests that this process is serving. */
    idempotencyKeysInUse?: Set<string>
  }
  interface RequestState {
    /** The first request with a key, whose response is stored. */
    idempotencyAttempt?: Attempt
  }
}

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Whether writes without the header `Idempotency-Key` are refused. */
    readonly requireIdempotencyKey?: boolean
  }
}

/** Seconds after which a request with a key in use may be repeated. */
const retryAfter = 1

/**
 * Makes writes with the header `Idempotency-Key` safe to repeat: the response is stored in the transaction of the write,
 * and sent again when the request is repeated.
 */
export function idempotency(): Plugin {
  return {
    name: 'idempotency',
    environment,
    errors: idempotencyErrors.map(({ definition }) => definition),
    keys: { requireIdempotencyKey: Joi.boolean() },
    neededBy,
    migrations: { '20260101000000_keys': CreateKeys, '20260103000000_principals': AddPrincipals },

    onCompile(registry) {
      for (const type of registry.types.values()) if (isNotAtomic(type)) registry.warn(warnAboutType(type))
      return () => checkSecretResponses(registry)
    },

    setup(app) {
      const { queue } = app.store
      queue.assign(new Map([[removalJob, removalWorker(app)]]))
      queue.repeat(removalJob, removalInterval)
    },

    start({ store, logger }) {
      store.queue.startWithRetries((error) =>
        logger?.error({ err: error }, 'The job queue cannot be opened; expired keys are not removed'),
      )
    },

    close: ({ store }) => store.queue.stop(),

    plan({ kind, authorize, transaction, respond, beforeSend }) {
      if (kind !== null && !isWrite(kind)) return
      authorize.push(startAttempt)
      transaction.push(claimKeyOfRequest)
      respond.push(captureReply)
      beforeSend.push(finish)
    },

    describe: describeKeys,
  }
}

function startAttempt(request: ApiRequest, operations: readonly PlannedOperation[]): void {
  const { app, ctx } = request
  const header = ctx.headers['idempotency-key']
  if (header === undefined) requireKey(operations)
  if (header === undefined || !operations.some(({ kind }) => isWrite(kind))) return
  refuseSecretResponses(operations)
  const key = readKey(String(header), request)
  app.idempotencyKeysInUse ??= new Set()
  const keys = app.idempotencyKeysInUse
  if (keys.has(key.id)) throw idempotencyKeyInUse({}, { source: keySource })
  keys.add(key.id)
  markVariesByPrincipal(ctx)
  ctx.state.idempotencyAttempt = new Attempt(app, key, ctx.res.getHeaders())
}

function claimKeyOfRequest(transaction: RequestTransaction): Awaitable<ApiResponse | undefined> {
  return transaction.request.ctx.state.idempotencyAttempt?.claim(transaction)
}

function captureReply({ ctx, exchange, response }: Reply): void {
  if (response.kind === 'error' && response.errors[0]?.code === idempotencyKeyInUse.definition.code) {
    ctx.set('Retry-After', String(retryAfter))
  }
  ctx.state.idempotencyAttempt?.capture(exchange)
}

function finish(exchange: Exchange): Promise<void> | void {
  const { idempotencyAttempt: attempt } = exchange.ctx.state
  if (attempt) return finishAttempt(attempt, exchange)
}

async function finishAttempt(attempt: Attempt, exchange: Exchange): Promise<void> {
  const { app } = exchange
  try {
    await attempt.finish(exchange)
  } catch (error) {
    app.logger?.warn({ err: error }, 'A response could not be stored with its idempotency key; a retry runs again')
  } finally {
    app.idempotencyKeysInUse?.delete(attempt.key.id)
  }
}

/** Throws IDEMPOTENCY_KEY_REQUIRED if a type that is written requires a key. */
function requireKey(operations: readonly PlannedOperation[]): void {
  for (const { kind, target } of operations) {
    if (!target.type.declaration.requireIdempotencyKey || !isWrite(kind)) continue
    throw idempotencyKeyRequired({ type: target.type.name }, { source: keySource })
  }
}

/** Throws IDEMPOTENCY_KEY_NOT_ACCEPTED if the response, which is stored with the key, would contain a secret. */
function refuseSecretResponses(operations: readonly PlannedOperation[]): void {
  const secret = operations.find(showsSecret)
  if (secret) throw idempotencyKeyNotAccepted({ type: secret.target.type.name }, { source: keySource })
}

function isNotAtomic({ declaration, persister }: ResourceType): boolean {
  return declaration.requireIdempotencyKey === true && !persister.transactional
}

function warnAboutType({ name, file }: ResourceType): string {
  return `${name} (${file}): requireIdempotencyKey is declared, but its persister is not part of the transaction: a write is repeated if the process ends between the write and the commit.`
}
