import type { ErrorDefinition } from '#kernel/errors'
import { isWrite } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Parameter } from '#openapi'
import { idempotencyErrors, idempotencyKeyInUse, idempotencyKeyNotAccepted, idempotencyKeyRequired } from './errors.ts'
import { showsSecret } from './secret-responses.ts'
import { storedErrors } from './stored-response.ts'

/** Describes the request header of writes, the header of replayed responses, and the errors. */
export function describeKeys({ operations, server, component, refer, afterPlugins }: OpenApiDraft): void {
  const all = operations.filter(isWriteOperation)
  const writes = all.filter((operation) => !isRefused(operation))
  for (const operation of all.filter(isRefused)) operation.addErrors(400, idempotencyKeyNotAccepted.definition)
  if (writes.length === 0) return
  const hasSecrets = [...server.types.values()].some(({ secretResponses }) => secretResponses.length > 0)
  const replayed = component('IdempotencyReplayed', () => replayedHeader, 'headers')
  for (const operation of writes) {
    const isRequired = operation.type?.declaration.requireIdempotencyKey === true
    const isBatch = operation.type === null
    const conditions = new Map<ErrorDefinition, boolean>([
      [idempotencyKeyRequired.definition, isRequired || isBatch],
      [idempotencyKeyNotAccepted.definition, isBatch && hasSecrets],
    ])
    operation.parameters.push(
      isRequired ? { ...parameter, required: true } : component('IdempotencyKey', () => parameter, 'parameters'),
    )
    for (const { definition } of idempotencyErrors) {
      if (conditions.get(definition) ?? true) operation.addErrors(definition.status, definition)
    }
    operation.addErrors(idempotencyKeyInUse.definition.status).headers['Retry-After'] = refer('RetryAfter', 'headers')
  }
  afterPlugins(() => {
    for (const { successes, errorResponses } of writes) {
      for (const success of successes.values()) {
        success.headers = { ...success.headers, 'Idempotency-Replayed': replayed }
      }
      for (const [status, { headers }] of errorResponses) {
        if (storedErrors.has(status)) headers['Idempotency-Replayed'] = replayed
      }
    }
  })
}

/** Whether the operation writes; the JSON:API routes of plugins do if they accept POST. */
function isWriteOperation({ kind, route }: DescribedOperation): boolean {
  return kind ? isWrite(kind) : route?.jsonapi !== undefined && route.methods.includes('POST')
}

/** Whether a request with a key is refused. */
function isRefused({ kind, type, route }: DescribedOperation): boolean {
  return kind !== null && type !== null && showsSecret({ kind, target: { type, action: route?.action } })
}

const parameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to repeat: a repeated request with the same key has no further effect and gets the stored response.',
  schema: { type: 'string', pattern: '^[!-~]{1,512}$', examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'] },
}

const replayedHeader = {
  description: 'Sent if the request was answered before: the response is the stored one.',
  schema: { type: 'string', enum: ['true'] },
}
