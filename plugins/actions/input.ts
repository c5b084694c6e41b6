import { readInput as readResource, unlimited } from '#kernel/operations'
import { isObject, type Operation, type PlannedOperation } from '#kernel/plugin'
import type { CompiledAction } from './compile.ts'
import { createInputObject } from './input-object.ts'
import { checkRaw, type RawInput, RefusedBody } from './raw-body.ts'

/** Returns the checked input of an action: an object, the raw body, or null. */
export async function readInput(operation: Operation, action: CompiledAction): Promise<unknown> {
  if (action.input) return readDocument(operation, action)
  return action.raw ? readRaw(operation.body, action) : null
}

/** Checks the document like a create of the input type. */
function readDocument(operation: Operation, { input: type }: CompiledAction): Promise<unknown> {
  const { context, target, body } = operation
  const limits = context.request ? context.app.config.limits : unlimited
  const created = { kind: 'collection', server: target.server, type } as PlannedOperation['target']
  const read = readResource('Create', created, body, { acceptsLocalIds: false, limits })
  return createInputObject({ ...operation, ...read, kind: 'Create', target: created })
}

function readRaw(body: unknown, { raw, name }: CompiledAction): RawInput {
  if (body instanceof RefusedBody) throw body.error
  if (!raw || !isRaw(body)) throw new Error(`The action '${name}' needs a body { mediaType, bytes }.`)
  const fault = checkRaw({ mediaType: body.mediaType, size: body.bytes.length }, raw)
  if (fault) throw fault
  return body
}

function isRaw(body: unknown): body is RawInput {
  return isObject(body) && typeof body.mediaType === 'string' && Buffer.isBuffer(body.bytes)
}
