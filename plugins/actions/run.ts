import { resourceNotFound } from '#kernel/errors'
import {
  checkPreconditions,
  checkWritten,
  findParent,
  findSubject,
  runBeforeSave,
  runChecks,
  writtenOptions,
} from '#kernel/operations'
import { type ApiResponse, type App, isData, listMembers, type Operation } from '#kernel/plugin'
import { keyQuery } from '#kernel/queries'
import type { Answer } from './answers.ts'
import type { CompiledAction } from './compile.ts'
import type { ActionContext, DeclaredAction } from './declare.ts'
import { readInput } from './input.ts'
import { respond } from './respond.ts'

/** Runs an action inside its unit. The numbers are the statuses of its errors. */
export async function runAction(operation: Operation, action: CompiledAction): Promise<ApiResponse> {
  const subject = await loadSubject(operation, action) // 404
  const early = await runChecks(operation, subject) // 401, 403
  if (early) return early
  const input = await readInput(operation, action) // 400, 409, 413, 415, 422
  await checkPreconditions(operation, subject) // 412, 428
  await runBeforeSave(operation, subject)
  const { handle } = action.definition as DeclaredAction
  const answer = (await handle(createActionContext(operation, subject, input))) as Answer
  if (action.method === 'GET' || isError(answer)) return respond(answer, operation, action)
  await flush(operation, subject) // 409
  const response = await respond(answer, operation, action) // 401, 403 for the resource of the response
  if (subject && !shows(response, subject, action)) await checkSubject(operation, subject) // 401, 403
  return response
}

/** Whether the response is the subject, which is checked when it is read for the response. */
function shows(response: ApiResponse, subject: object, { type }: CompiledAction): boolean {
  if (!isData(response) || response.status !== 200) return false
  const [member] = listMembers(response)
  return member?.type === type && member.record[type.id.property] === type.persister.keyOf(type, subject)
}

function isError(answer: Answer): boolean {
  return 'answer' in answer && answer.answer === 'error'
}

/** Checks the subject after the write, unless the handler has deleted it. */
async function checkSubject(operation: Operation, subject: object): Promise<void> {
  const { context, target } = operation
  const { type } = target
  const options = await writtenOptions(type, context)
  if (!options.mark && type.steps.checkRows.written.length === 0) return
  const key = type.persister.keyOf(type, subject)
  const rows = await type.provider.many(type, [key], keyQuery(type), context, options)
  if (rows.length > 0) await checkWritten(operation, type, [key], rows)
}

async function loadSubject(operation: Operation, action: CompiledAction): Promise<object | null> {
  const { type, on, method, definition } = action
  if (on === 'collection') return null
  if (!definition.findSubject) return method === 'GET' ? findParent(operation) : findSubject(operation)
  const subject = await definition.findSubject(operation)
  if (!subject) throw resourceNotFound({ type: type.name, id: operation.target.id ?? '' })
  return subject
}

function createActionContext(
  operation: Operation,
  subject: object | null,
  input: unknown,
): ActionContext<never, never> {
  const { context } = operation
  return {
    subject: subject as never,
    input: input as never,
    get principal() {
      return context.request ? context.request.principal : context.principal
    },
    unit: context.unit,
    request: context.request,
    context,
  }
}

/** Saves what the handler has changed: entities of the unit, and a subject that is stored elsewhere. */
async function flush({ target: { type }, context }: Operation, subject: object | null): Promise<void> {
  const { store }: App = context.app
  await store.persister.flush(type, context, subject ?? {})
  if (subject && type.persister !== store.persister) await type.persister.flush(type, context, subject)
}
