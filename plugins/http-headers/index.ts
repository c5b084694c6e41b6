import type { Plugin, Reply, ResourceType } from '#kernel/plugin'
import { deprecationFaults, headerForms } from './checks.ts'
import { describeHeaders } from './describe.ts'
import {
  type CacheHeaders,
  type Deprecated,
  headersOf,
  planCache,
  planDeprecation,
  readShapes,
  readShapesByKind,
  type TypePlan,
} from './headers.ts'

export type { CacheDirectives, CacheHeaders } from './headers.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> extends Deprecated {
    /** `Cache-Control` and `Vary` of successful reads. */
    readonly cacheHeaders?: CacheHeaders
  }
}

/** Defaults for types that declare no headers. */
export interface HttpHeadersOptions extends Deprecated {
  readonly cacheHeaders?: CacheHeaders
}

/** Sets headers for caching (`Cache-Control`, `Vary`) and deprecation (`Deprecation`, `Sunset`, `Link`). */
export function httpHeaders(defaults: HttpHeadersOptions = {}): Plugin {
  return {
    name: 'http-headers',
    keys: headerForms,

    onCompile(registry) {
      const types: Iterable<ResourceType> = registry.types.values()
      for (const type of types) {
        const { declaration } = type
        for (const [key, message] of deprecationFaults(declaration)) registry.fail(type, key, message)
        type.headerPlan = planHeaders(declaration, defaults)
      }
    },

    plan({ type, kind, respond }) {
      const plan = type && headersOf(type)
      if (!plan) return
      const { always } = plan
      if (Object.keys(always).length > 0) respond.push((reply) => setMissing(reply, always))
      const shape = kind && readShapesByKind[kind]
      const read = shape && plan.reads.get(shape)
      if (!read || (Object.keys(read.headers).length === 0 && read.vary.length === 0)) return
      respond.push((reply) => {
        if (reply.response.status !== 200) return
        setMissing(reply, read.headers)
        if (read.vary.length > 0) reply.ctx.vary([...read.vary])
      })
    },

    describe: describeHeaders,
  }
}

function planHeaders(declaration: HttpHeadersOptions, defaults: HttpHeadersOptions): TypePlan {
  const { deprecation, sunset, sunsetLink } = { ...defaults, ...declaration }
  const levels = [defaults.cacheHeaders ?? {}, declaration.cacheHeaders ?? {}]
  return {
    always: planDeprecation({
      ...(deprecation !== undefined && { deprecation }),
      ...(sunset !== undefined && { sunset }),
      ...(sunsetLink !== undefined && { sunsetLink }),
    }),
    reads: new Map(readShapes.map((shape) => [shape, planCache(shape, ...levels)])),
  }
}

/** Sets headers that are not set yet; a link is added to other links. */
function setMissing({ ctx }: Reply, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) {
    const value = headers[name] as string
    if (name === 'Link') ctx.append(name, value)
    else if (!ctx.response.get(name)) ctx.set(name, value)
  }
}
