import { need, type Plugin, type RecordOf, type Registry, type ResourceType, wholeRow } from '#kernel'
import { type AnyResponse, type OneOrMore, type Responses, valid } from './responses.ts'

export { accepted, created, metaResult, noContent, ok, seeOther } from './responses.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** The successes an operation answers with, in place of its usual one: `create: [accepted('export-jobs')]`. */
    readonly create?: OneOrMore<Responses['create']>
    readonly update?: OneOrMore<Responses['update']>
    readonly delete?: OneOrMore<Responses['delete']>
    readonly fetchOne?: OneOrMore<Responses['fetchOne']>
    readonly fetchCollection?: OneOrMore<Responses['fetchCollection']>
    /** Of a job: where its result is, a URL or a path of this server; null while it is at work. */
    readonly completionLocation?: (record: RecordOf<Entity>) => string | null
  }
}

const keys = Object.keys(valid) as (keyof Responses)[]

/** Writes that are done later: what they answer, and where a job says that it is finished. */
export function asyncWrites(): Plugin {
  return {
    name: 'async-writes',
    keys: [...keys, 'completionLocation'],
    dormant: keys,

    onCompile(registry) {
      for (const type of registry.types.values()) {
        for (const key of keys) checkResponses(type, key, registry)
      }
    },

    onQuery({ target }, query) {
      if (target?.kind !== 'resource' || !target.type.declaration.completionLocation) return
      need(query, target.type, wholeRow(target.type))
    },

    async onSubject({ kind, target, context }, subject) {
      if (kind !== 'FetchOne') return undefined
      const location = target.type.declaration.completionLocation?.(subject as never)
      if (!location) return undefined
      const base = context.request?.url.base ?? context.server.baseUri
      const headers = { Location: location.startsWith('/') ? base + location : location }
      return { kind: 'none', status: 303, headers }
    },
  }
}

function checkResponses(type: ResourceType, key: keyof Responses, registry: Registry): void {
  const declared = [(type.declaration[key] ?? []) as OneOrMore<AnyResponse>].flat()
  for (const { response } of declared) {
    if (!(valid[key] as readonly string[]).includes(response)) {
      registry.fail(type, key, `${response}() cannot be the answer here; ${valid[key].join('(), ')}() can.`)
    }
  }
  const statuses = declared.map(({ status }) => status)
  for (const status of new Set(statuses.filter((one, index) => statuses.indexOf(one) !== index))) {
    registry.fail(type, key, `Two of the answers have the status ${status}.`)
  }
  for (const response of declared) {
    if (response.response === 'accepted' && !registry.types.has(response.jobType)) {
      registry.fail(type, key, `accepted() names '${response.jobType}', which is not a resource type.`)
    }
  }
}
