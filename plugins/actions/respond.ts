import { chooseStatus, resourceNotFound } from '#kernel/errors'
import { checkWritten, readBack, resolveLocation } from '#kernel/operations'
import type { ApiResponse, Context, Operation, ResourceType, Row } from '#kernel/plugin'
import { filterRows, loadOne, loadRelations } from '#kernel/queries'
import type { AcceptedAnswer, Answer, DeclaredAnswer, Location } from './answers.ts'
import type { CompiledAction } from './compile.ts'

/** Converts the answer of a handler. Throws if the action does not declare it. */
export async function respond(answer: Answer, operation: Operation, action: CompiledAction): Promise<ApiResponse> {
  const name = readAnswerName(answer)
  if (name !== 'error' && !action.answers.some((declared) => nameOfDeclared(declared) === name))
    throw new Error(`The action '${action.name}' of '${action.type.name}' returned an answer that it does not declare.`)
  if (!('answer' in answer)) return answer.respond(operation)
  switch (answer.answer) {
    case 'data':
      return respondData(answer.record, operation, action.shows as ResourceType)
    case 'meta':
      return { kind: 'meta', status: 200, meta: answer.meta }
    case 'noContent':
      return { kind: 'none', status: 204 }
    case 'seeOther':
      return { kind: 'none', status: 303, headers: { Location: toUrl(answer.location, operation.context) } }
    case 'error': {
      const errors = answer.errors.map((error) => error.toObject())
      return { kind: 'error', status: chooseStatus(answer.errors), errors }
    }
  }
}

function readAnswerName(answer: Answer | undefined): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  if ('answer' in answer) return answer.answer
  return typeof (answer as Partial<AcceptedAnswer>).respond === 'function' ? 'accepted' : null
}

function nameOfDeclared(declared: DeclaredAnswer): string {
  return typeof declared === 'string' ? declared : (Object.keys(declared)[0] as string)
}

/** Reads the resource after the handler: the subject of a write as it was written, others if the requester may see them. */
async function respondData(record: object, operation: Operation, type: ResourceType): Promise<ApiResponse> {
  const { kind, context, query, target } = operation
  const key = (record as Row)[type.id.property]
  const isWritten = kind !== 'FetchAction'
  const id = type.codec.encode(key)
  if (isWritten && type === target.type && id === target.id) return readBack(operation, key)
  if (isWritten) await checkWritten(operation, type, [key], [])
  const found = await loadOne(type, key, query, context)
  const [shown] = found ? await filterRows(type, [found], context) : []
  if (!shown) throw resourceNotFound({ type: type.name, id })
  await loadRelations([{ type, record: shown }], query, context)
  return { kind: 'data', status: 200, operation, data: { type, record: shown } }
}

function toUrl(location: Location, context: Context): string {
  if (typeof location === 'string') return resolveLocation(location, context)
  const type = context.app.registry.types.get(location.type)
  if (!type) throw new Error(`seeOther() names '${location.type}', which is not a resource type.`)
  return resolveLocation(`/${type.uriType}/${encodeURIComponent(location.id)}`, context)
}
