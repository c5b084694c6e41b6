import { phrase, queryParamMalformed } from '#kernel/errors'
import type { Plugin } from '#kernel/plugin'
import { textMatch } from '#kernel/queries'
import type { OpenApiDraft } from '#openapi'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** The property that `startsWith=A` compares; without it, the parameter is a 400. */
    readonly startsWithProperty?: keyof Entity & string
  }
}

const parameter = 'startsWith'
const source = { source: { parameter } }

/** `GET /books?startsWith=A`: the resources whose name starts with a text. */
export function startsWith(): Plugin {
  return {
    name: 'starts-with',
    keys: { startsWithProperty: null },

    // Called if the client sends the parameter; all faults of the query string are returned together.
    parameters: {
      startsWith(value, query) {
        const property = query.type.declaration.startsWithProperty
        if (typeof value === 'string' && value !== '' && property)
          query.where.push(textMatch(property, 'starts', value))
        else query.faults.push(queryParamMalformed({ parameter, expected: expectation(property) }, source))
      },
    },

    describe: describeParameter,
  }
}

function expectation(property: string | undefined) {
  return property ? phrase('a text') : phrase('no such parameter for this type')
}

/** Adds the parameter to the collections of the types that have it. */
function describeParameter({ operations }: OpenApiDraft): void {
  for (const { kind, type, parameters } of operations) {
    if (kind !== 'FetchCollection' || !type?.declaration.startsWithProperty) continue
    parameters.push({ name: parameter, in: 'query', description: 'The start of the name.', schema: { type: 'string' } })
  }
}
