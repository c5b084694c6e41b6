import type { ErrorObject, FuncKeywordDefinition } from 'ajv/dist/2020.js'

type Json = Readonly<Record<string, unknown>>

/** Rejects a name that an attribute and a relationship share. JSON Schema has no keyword for it. */
export const oneNamespace: FuncKeywordDefinition = {
  keyword: 'oneNamespace',
  type: 'object',
  schemaType: 'array',
  errors: true,
  validate,
}

function validate([first, second]: readonly [string, string], data: Json): boolean {
  const members = collectMembers(data[first])
  const shared = Object.keys(collectMembers(data[second])).filter(
    (member) => !member.startsWith('@') && Object.hasOwn(members, member),
  )
  validate.errors = shared.map((member) => ({ keyword: 'oneNamespace', params: { object: second, member } }))
  return shared.length === 0
}

/** Ajv reads the errors of a custom keyword from its function. */
validate.errors = [] as Partial<ErrorObject>[]

function collectMembers(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
