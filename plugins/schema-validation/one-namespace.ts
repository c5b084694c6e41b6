import type { ErrorObject, FuncKeywordDefinition } from 'ajv/dist/2020.js'

type Json = Readonly<Record<string, unknown>>

/** The members of these objects have names of their own. JSON Schema has no word for it. */
export const oneNamespace: FuncKeywordDefinition = {
  keyword: 'oneNamespace',
  type: 'object',
  schemaType: 'array',
  errors: true,
  validate: check,
}

function check([first, second]: readonly [string, string], data: Json): boolean {
  const taken = membersOf(data[first])
  const twice = Object.keys(membersOf(data[second])).filter(
    (member) => !member.startsWith('@') && Object.hasOwn(taken, member),
  )
  check.errors = twice.map((member) => ({ keyword: 'oneNamespace', params: { object: second, member } }))
  return twice.length === 0
}

/** Where Ajv looks for what was found. */
check.errors = [] as Partial<ErrorObject>[]

function membersOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
