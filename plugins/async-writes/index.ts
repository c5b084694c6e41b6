import { need, type Plugin, type RecordOf, wholeRow } from '#kernel'
import { responsesOf } from '#plugins/responses/index.ts'
import type { Accepted } from './words.ts'

export { accepted, seeOther } from './words.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** Of a job: where its result is, a URL or a path of this server; null while it is at work. */
    readonly completionLocation?: (record: RecordOf<Entity>) => string | null
  }
}

/** Writes that are done later: what they answer, and where a job says that it is finished. */
export function asyncWrites(): Plugin {
  return {
    name: 'async-writes',
    requires: ['responses'],
    keys: ['completionLocation'],
    dormant: ['value.accepted'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        for (const key of ['create', 'update'] as const) {
          const jobs = responsesOf(type, key).flatMap((one) => (one as Partial<Accepted>).jobType ?? [])
          if (jobs.length > 0) type.said.push({ member: key, word: 'accepted' })
          for (const job of jobs.filter((name) => !registry.types.has(name))) {
            registry.fail(type, key, `accepted() names '${job}', which is not a resource type.`)
          }
        }
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
