import { definitionsOf, didYouMean, formFaults } from '#kernel/errors'
import { noPersister, noProvider } from '#kernel/operations'
import { type Action, callDeclaredList, type Registry, type ResourceType, type Row } from '#kernel/plugin'
import { actionForm } from './action-form.ts'
import type { DeclaredAnswer } from './answers.ts'
import { actionBuilders, type DeclaredAction } from './declare.ts'
import type { RawRules } from './raw-body.ts'
import { runAction } from './run.ts'

/** An action of a resource type, as plugins add it with `addAction`. */
export interface ActionDefinition extends Omit<DeclaredAction, 'handle'>, Partial<Pick<DeclaredAction, 'handle'>> {
  /** Runs the whole operation, with its checks, instead of `handle`. */
  readonly run?: Action['run']
  /** Whether a row has the link of `asLink` if the requester may run the action; default: every row. */
  readonly offersLink?: (row: Row) => boolean
  /** The name of its own lifecycle events: `Restore` for `BeforeRestore` and `AfterRestore`. */
  readonly event?: string
  /**
   * Loads the subject instead of the persister of the type: locked, unless the method is GET. Null if the requester may
   * not see it. For plugins whose actions apply to rows outside of their own scope.
   */
  readonly findSubject?: (operation: Parameters<Action['run']>[0]) => Promise<object | null>
}

export interface CompiledAction extends Action {
  readonly definition: ActionDefinition
  readonly servers: readonly string[]
  readonly answers: readonly DeclaredAnswer[]
  /** Null if the input is not raw. */
  readonly raw: RawRules | null
  readonly job: ResourceType | null
}

const defaultMaxBytes = 1_048_576

/** Compiles the declared actions of a type, from its declaration and from files. */
export function compileActions(type: ResourceType, registry: Registry): void {
  const { actions } = type.declaration
  if (actions === undefined) return
  const declared = callDeclaredList(
    () => actions(actionBuilders as never),
    (message) => registry.fail(type, 'actions', message),
  )
  for (const definition of declared) addAction(type, definition, registry)
}

/** Adds an action to a type. Plugins call it in `onCompile`. */
export function addAction(type: ResourceType, definition: ActionDefinition, registry: Registry): void {
  const malformed = formFaults(actionForm, definition)
  for (const { path, message } of malformed) {
    registry.fail(type, ['actions', definition.name, ...path].join('.'), message)
  }
  if (malformed.length > 0) return
  const action = toAction(type, definition, registry)
  const faults = findFaults(action, registry)
  for (const fault of faults) registry.fail(type, `actions.${definition.name}`, fault)
  if (faults.length === 0) type.actions.push(action)
}

function toAction(type: ResourceType, definition: ActionDefinition, { types }: Registry): CompiledAction {
  const { name, on = 'resource', method = 'POST', input = 'none', inputType, ability = name, server } = definition
  const answers = [definition.answers ?? []].flat() as DeclaredAnswer[]
  const shown = answers.map((answer) => (answer === 'data' ? type.name : readTypeName(answer, 'data'))).find(Boolean)
  const job = answers.map((answer) => readTypeName(answer, 'accepted')).find(Boolean)
  const action: CompiledAction = {
    name,
    type,
    on,
    method,
    ability,
    input: input === 'document' ? (types.get(inputType ?? '') ?? null) : null,
    shows: types.get(shown ?? '') ?? null,
    isLinked: definition.asLink === true,
    showsSecret: definition.showsSecret === true,
    errors: definitionsOf(definition.errors),
    ...(definition.event !== undefined && { event: definition.event }),
    run: definition.run ?? ((operation) => runAction(operation, action)),
    definition,
    servers: [server ?? type.servers].flat(),
    answers,
    raw:
      input === 'raw' ? { accepts: definition.accepts ?? [], maxBytes: definition.maxBytes ?? defaultMaxBytes } : null,
    job: types.get(job ?? '') ?? null,
  }
  return action
}

/** The type that an answer names; undefined for other answers. */
function readTypeName(answer: DeclaredAnswer, key: 'data' | 'accepted'): string | undefined {
  return typeof answer === 'object' ? (answer as Readonly<Record<string, string>>)[key] : undefined
}

function findFaults(action: CompiledAction, registry: Registry): string[] {
  return [
    ...nameFaults(action),
    ...subjectFaults(action),
    ...inputFaults(action, registry),
    ...answerFaults(action, registry),
  ]
}

const linkNames = ['self', 'related', 'describedby']

function nameFaults({ name, type, definition, isLinked, on, servers }: CompiledAction): string[] {
  const faults: string[] = []
  if (!/^[a-zA-Z][a-zA-Z0-9]*(-[a-zA-Z0-9]+)*$/.test(name))
    faults.push(`'${name}' is not a name for an action: letters and digits, words joined by hyphens.`)
  if (type.actions.some((other) => other.name === name)) faults.push('The type has another action with this name.')
  if (!definition.run && typeof definition.handle !== 'function') faults.push('It has no function handle().')
  if (isLinked && on === 'collection') faults.push('asLink is for actions of resources; this one is on the collection.')
  if (isLinked && linkNames.includes(name)) faults.push(`A link cannot be called '${name}', which JSON:API reserves.`)
  for (const server of servers) {
    if (!type.servers.includes(server)) faults.push(`The server '${server}' does not offer the type '${type.name}'.`)
  }
  return faults
}

function subjectFaults({ type, on, method }: CompiledAction): string[] {
  if (!['resource', 'collection'].includes(on)) return [`on is 'resource' or 'collection', not '${on}'.`]
  if (!['GET', 'POST', 'DELETE'].includes(method)) return [`The method is POST, GET or DELETE, not '${method}'.`]
  if (on === 'collection') return []
  if (method === 'GET') return type.provider === noProvider ? ['No provider reads the resources of the type.'] : []
  return type.persister === noPersister ? ['No persister locks the resources of the type.'] : []
}

function inputFaults({ definition, method, input: inputType, raw }: CompiledAction, { types }: Registry): string[] {
  const { input = 'none', inputType: named, accepts, maxBytes } = definition
  const faults: string[] = []
  if (!['none', 'document', 'raw'].includes(input)) faults.push(`input is 'none', 'document' or 'raw', not '${input}'.`)
  if (input !== 'none' && method !== 'POST') faults.push(`An action with input has the method POST, not ${method}.`)
  if (input === 'document' && !inputType)
    faults.push(
      named === undefined
        ? 'A document needs inputType, the name of a type.'
        : `There is no resource type '${named}'.${didYouMean(named, types.keys())}`,
    )
  if (input !== 'document' && named !== undefined) faults.push("inputType is for input: 'document'.")
  if (raw && raw.accepts.length === 0) faults.push("Raw input needs accepts, a list of media types: ['image/png'].")
  if (raw && !raw.accepts.every((mediaType) => /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(mediaType)))
    faults.push('accepts lists media types in lower case, without parameters.')
  if (raw && !(Number.isInteger(raw.maxBytes) && raw.maxBytes > 0)) faults.push('maxBytes is a whole number above 0.')
  if (!raw && (accepts !== undefined || maxBytes !== undefined))
    faults.push("accepts and maxBytes are for input: 'raw'.")
  return faults
}

function answerFaults(
  { answers, method, servers, shows, job, showsSecret }: CompiledAction,
  { types }: Registry,
): string[] {
  const faults: string[] = []
  if (answers.length === 0) faults.push("It has no answers: 'data', 'meta', 'noContent', 'seeOther' or { accepted }.")
  if (answers.includes('data') && answers.some((answer) => readTypeName(answer, 'data')))
    faults.push('It answers data of two types.')
  for (const answer of answers) {
    const name = readTypeName(answer, 'data') ?? readTypeName(answer, 'accepted')
    if (name !== undefined && !types.has(name))
      faults.push(`There is no resource type '${name}'.${didYouMean(name, types.keys())}`)
    if (typeof answer === 'string' && !['data', 'meta', 'noContent', 'seeOther'].includes(answer))
      faults.push(`'${answer}' is not an answer.`)
  }
  if (answers.some((answer) => readTypeName(answer, 'accepted')) && method === 'GET')
    faults.push('An action with GET enqueues no job.')
  if (showsSecret && method === 'GET')
    faults.push('showsSecret is for actions that write; a response to GET can be requested again.')
  for (const type of [shows, job]) {
    for (const server of servers) {
      if (type && !type.servers.includes(server))
        faults.push(`It answers '${type.name}', which the server '${server}' does not offer.`)
    }
  }
  return faults
}
