import { mediaTypeUnsupported, validationFailed } from '#kernel/errors'
import type { DescribedOperation, DescribedSuccess, OpenApiDraft } from '#openapi'
import type { DeclaredAnswer } from './answers.ts'
import type { CompiledAction } from './compile.ts'

/** Describes the actions of a server: `action.<type>.<name>`. */
export function describeActions(draft: OpenApiDraft): void {
  for (const operation of draft.operations) {
    if (operation.route?.action) describeAction(operation, operation.route.action as CompiledAction, draft)
  }
}

function describeAction(operation: DescribedOperation, action: CompiledAction, draft: OpenApiDraft): void {
  const { definition, answers, raw } = action
  const { object, successes } = operation
  if (definition.summary) object.summary = definition.summary
  if (definition.description) object.description = definition.description
  if (definition.tags) object.tags = definition.tags
  for (const answer of answers) addSuccess(successes, answer, action, draft)
  if (!raw) return
  operation.rawBody = raw.accepts
  operation.addErrors(413)
  operation.addErrors(415, mediaTypeUnsupported.definition)
  operation.addErrors(422, validationFailed.definition) // a value that the database cannot store
}

function addSuccess(
  successes: DescribedOperation['successes'],
  answer: DeclaredAnswer,
  { shows, job }: CompiledAction,
  { refer, nameOf }: OpenApiDraft,
): void {
  const meta = refer('MetaDocument')
  if (answer === 'noContent') successes.set(204, { description: 'The action is done.' })
  else if (answer === 'seeOther')
    successes.set(303, { description: 'The result has another URL.', headers: { Location: resultUrl } })
  else if (answer === 'meta') addSchema(successes, { description: 'The result of the action.', schema: meta })
  else if (answer === 'data' || 'data' in answer) {
    const schema = shows ? refer(`${nameOf(shows)}Document`) : meta
    addSchema(successes, { description: 'The resource after the action.', schema })
  } else if (job) {
    const schema = { anyOf: [refer(`${nameOf(job)}Document`), meta] }
    const headers = { 'Content-Location': jobUrl, 'Retry-After': refer('RetryAfter', 'headers') }
    successes.set(202, { description: 'A job runs the action.', schema, headers })
  }
}

/** An action may answer 200 with data or with meta. */
function addSchema(successes: DescribedOperation['successes'], success: DescribedSuccess): void {
  const other = successes.get(200)
  const schema = other?.schema && success.schema ? { anyOf: [other.schema, success.schema] } : success.schema
  successes.set(200, { ...success, ...(schema && { schema }) })
}

const resultUrl = { description: 'The URL of the result.', schema: { type: 'string', format: 'uri' } }
const jobUrl = { description: 'The URL of the job.', schema: { type: 'string', format: 'uri' } }
