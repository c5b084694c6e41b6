import type { Persister } from '../data/persister.ts'
import type { Provider } from '../data/provider.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { dropMalformed, type Forms } from '../errors/form-faults.ts'
import type { Builders } from '../schema/builders.ts'
import type { Field } from '../schema/field.ts'
import type { DeclaredResource, Registry, Resource, ResourceDeclaration } from '../schema/resource-type.ts'
import { operationNames } from '../schema/url-shape.ts'
import { callDeclared } from './call-declared.ts'

/** A declaration with the fields that its function has returned. */
export interface ReadDeclaration extends DeclaredResource {
  readonly fields: readonly Field[]
}

/**
 * Checks the form of a declaration, for callers without a compiler, and reads its fields. Returns null if it has no type
 * or no fields: it cannot be compiled.
 */
export function readDeclaration(
  { file, resource }: DeclaredResource,
  builders: Builders<never>,
  forms: Forms,
  registry: Registry,
): ReadDeclaration | null {
  const { declaration: declared } = (resource ?? {}) as Partial<Resource>
  if (!declared) {
    registry.fail({ name: '', file }, null, 'It exports no resource: use defineResource() or defineType().')
    return null
  }
  const name = typeof declared.type === 'string' ? declared.type : ''
  const fail = (member: string, message: string) => registry.fail({ name, file }, member, message)
  const declaration = dropMalformed(declared, forms, fail)
  if (typeof declaration.type !== 'string') fail('type', "A declaration has a type, such as 'albums'.")
  checkServer(declaration, fail)
  checkOperations(declaration, fail)
  checkMethods('provider', declaration, providerMethods, fail)
  checkMethods('persister', declaration, persisterMethods, fail)
  const fields = readFields(declaration, builders, fail)
  return fields && typeof declaration.type === 'string'
    ? { file, resource: { ...resource, declaration }, fields }
    : null
}

type Declaration = ResourceDeclaration<never>
type Fail = (member: string, message: string) => void

function checkServer({ server }: Declaration, fail: Fail): void {
  const names: readonly unknown[] = [server ?? 'default'].flat()
  if (names.length === 0) fail('server', "It names no server; leave 'server' out for the default server.")
  if (names.some((name) => typeof name !== 'string')) fail('server', 'It is the name of a server, or a list of names.')
}

function checkOperations({ operations = [] }: Declaration, fail: Fail): void {
  if (operations === 'none') return
  const accepted = `Accepted: a list of ${operationNames.join(', ')}, or 'none'.`
  if (!Array.isArray(operations)) fail('operations', `It is not a list. ${accepted}`)
  else {
    for (const name of operations) {
      if (operationNames.includes(name)) continue
      fail('operations', `'${name}' is not an operation. ${accepted}${didYouMean(name, operationNames)}`)
    }
  }
}

const providerMethods: readonly (keyof Provider)[] = ['one', 'many', 'collection', 'count', 'related']
const persisterMethods: readonly (keyof Persister)[] = [
  'load',
  'create',
  'change',
  'remove',
  'flush',
  'relate',
  'keyOf',
]

function checkMethods(
  member: 'provider' | 'persister',
  declaration: Declaration,
  methods: readonly string[],
  fail: Fail,
): void {
  const part = declaration[member] as Readonly<Record<string, unknown>> | undefined | null
  if (part === undefined || part === null) return
  const missing = methods.filter((method) => typeof part[method] !== 'function')
  if (missing.length > 0) fail(member, `It lacks ${missing.map((method) => `${method}()`).join(', ')}.`)
  if (member === 'persister' && typeof part.transactional !== 'boolean') {
    fail(member, "It lacks 'transactional': true or false.")
  }
}

/** Returns null if the function throws, or returns anything but a list of builders. */
function readFields({ fields, serializer }: Declaration, builders: Builders<never>, fail: Fail): Field[] | null {
  if (typeof fields !== 'function') {
    if (serializer) fail('serializer', 'A serializer has attributes, each a function.')
    else fail('fields', 'A declaration has fields: a function that returns a list of them.')
    return null
  }
  const called = callDeclared<unknown>(
    () => fields(builders),
    (message) => fail('fields', message),
  )
  if (!called) return null
  const declared = called.result
  const definitions = Array.isArray(declared) ? declared.map((field) => field?.definition as Field | undefined) : []
  if (Array.isArray(declared) && definitions.every((definition) => definition !== undefined)) return definitions
  fail('fields', "The function returns a list whose entries are made by its builders, such as string('title').")
  return null
}
