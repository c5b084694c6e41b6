import { phrase, queryParamMalformed } from '#kernel/errors'
import type { Plugin, Reply, ResourceType } from '#kernel/plugin'
import { compare } from '#kernel/queries'
import type { OpenApiDraft } from '#openapi'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** The time of the last change, which `changedSince` compares; without it, the parameter is a 400. */
    readonly changedAtProperty?: keyof Entity & string
  }
}

const parameter = 'changedSince'
const header = 'Sync-Time'
/** Longer than the longest transaction: a row may be committed after the time that it has. */
const overlap = 60_000
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** Synchronization: `GET /notes?changedSince=…` returns changed rows, and `Sync-Time` is the next value to send. */
export function changedSince(): Plugin {
  return {
    name: 'changed-since',
    keys: { changedAtProperty: null },

    // Called if the client sends the parameter. All faults of a query string are returned together.
    parameters: {
      changedSince(value, query) {
        const property = propertyOf(query.type)
        const time = typeof value === 'string' && isoTime.test(value) ? new Date(value) : null
        if (property && time && !Number.isNaN(time.getTime())) query.where.push(compare(property, '>=', time))
        else query.faults.push(queryParamMalformed({ parameter, expected: expectation(property) }, source))
      },
    },

    // Called once per endpoint and set of profiles, and again for each shape of a query. Errors have a plan of their own,
    // whose kind is null.
    plan({ kind, type, respond }) {
      if (kind === 'FetchCollection' && type && propertyOf(type)) respond.push(setSyncTime)
    },

    describe: describeSync,
  }
}

const source = { source: { parameter } }

function setSyncTime({ ctx }: Reply): void {
  ctx.set(header, new Date(Date.now() - overlap).toISOString())
}

function propertyOf({ declaration }: ResourceType): string | undefined {
  return declaration.changedAtProperty
}

function expectation(property: string | undefined) {
  return property ? phrase('a time such as 2026-01-31T12:00:00Z') : phrase('no such parameter for this type')
}

/** Adds the parameter and the header to the OpenAPI document. */
function describeSync({ operations }: OpenApiDraft): void {
  for (const { kind, type, parameters, successes } of operations) {
    if (kind !== 'FetchCollection' || !type || !propertyOf(type)) continue
    const schema = { type: 'string', format: 'date-time' }
    parameters.push({ name: parameter, in: 'query', description: 'Returns rows changed since this time.', schema })
    const description = `The value for \`${parameter}\` in the next request.`
    for (const success of successes.values())
      success.headers = { ...success.headers, [header]: { description, schema } }
  }
}
