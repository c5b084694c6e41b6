import { AssertionError } from 'chai'
import type { Server } from '#kernel/plugin'
import { Schemas } from './schemas.ts'

// Checks every response against the OpenAPI document that its server serves.

// biome-ignore lint/suspicious/noExplicitAny: documents are read without types
type Part = any

export interface Exchange {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  readonly contentType: string
  /** Null when there is none. */
  readonly body: unknown
}

export type Conformance = (exchange: Exchange) => void

/** Loads the OpenAPI documents of all servers but the undescribed ones; a server without a document is not checked. */
export async function conformanceTo(
  url: string,
  servers: readonly Pick<Server, 'name' | 'prefix' | 'domain'>[],
  undescribed: readonly string[] = [],
): Promise<Conformance> {
  const described = await Promise.all(
    servers.map(async (server) => {
      const path = server.name === 'default' ? '/docs.json' : `/${server.name}/docs.json`
      return {
        ...server,
        described: server.domain || undescribed.includes(server.name) ? null : await load(url + path),
      }
    }),
  )
  const byPrefix = described.toSorted((a, b) => b.prefix.length - a.prefix.length)
  return (exchange) => {
    const [path = ''] = exchange.path.split('?')
    const server = byPrefix.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    server?.described?.check(path.slice(server.prefix.length), exchange)
  }
}

const documents = new Map<string, Described>()

/** Returns the cached document when an application serves the same one. */
async function load(url: string): Promise<Described | null> {
  const { ok, headers } = await fetch(url, { method: 'HEAD' })
  const etag = headers.get('etag') ?? ''
  if (!ok || etag === '') return null
  const described = documents.get(etag) ?? new Described(await (await fetch(url)).json())
  documents.set(etag, described)
  return described
}

class Described {
  readonly #document: Part
  readonly #schemas: Schemas
  readonly #paths: readonly { readonly segments: readonly string[]; readonly item: Part }[]

  constructor(document: Part) {
    this.#document = document
    this.#schemas = new Schemas(document)
    this.#paths = Object.entries(document.paths).map(([path, item]) => ({ segments: path.split('/'), item }))
  }

  check(path: string, exchange: Exchange): undefined {
    const { method, status, contentType, body } = exchange
    if (status >= 500 || status === 405) return
    const operation = this.#find(path)?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (!operation) return this.#describesType(path) ? this.#checkRefusal(exchange) : undefined
    const response = this.#resolve(operation.responses[status])
    if (!response && this.#isCustomError(exchange)) return this.#checkRefusal(exchange)
    if (!response) throw fault(exchange, `${operation.operationId} has no response with status ${status}`)
    if (body === null) return
    const media = contentType.replace(/; profile="[^"]*"/, '')
    const schema = response.content?.[media]?.schema
    if (!schema) throw fault(exchange, `${operation.operationId} has no response with status ${status} and ${media}`)
    this.#validate(schema, exchange)
  }

  /** Checks that a request that is not described returns an error document. */
  #checkRefusal(exchange: Exchange): undefined {
    if (exchange.body === null) return
    this.#validate({ $ref: '#/components/schemas/ErrorDocument' }, exchange)
  }

  #validate(schema: Part, exchange: Exchange): void {
    const validate = this.#schemas.compile(schema)
    if (validate(exchange.body)) return
    const [first] = validate.errors ?? []
    throw fault(exchange, `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`)
  }

  #find(path: string): Part | undefined {
    const requested = path.split('/')
    const fits = (segments: readonly string[]) =>
      segments.length === requested.length &&
      segments.every((segment, index) => segment === requested[index] || segment.startsWith('{'))
    return this.#paths.find(({ segments }) => fits(segments))?.item
  }

  /** Returns whether the first path segment is described. */
  #describesType(path: string): boolean {
    return this.#paths.some(({ segments }) => segments[1] === path.split('/')[1])
  }

  /** Returns whether the error comes from the middleware or hooks of the program, and so may have any status. */
  #isCustomError({ status, body }: Exchange): boolean {
    const { errors = [] } = (body ?? {}) as { errors?: readonly { code?: string }[] }
    return status >= 400 && errors.every(({ code }) => code === undefined || !this.#schemas.codes.includes(code))
  }

  #resolve(part: Part): Part {
    if (!part?.$ref) return part
    return part.$ref
      .slice(2)
      .split('/')
      .reduce((inside: Part, key: string) => inside[key], this.#document)
  }
}

function fault({ method, path, status, body }: Exchange, message: string): Error {
  const received = JSON.stringify(body)?.slice(0, 2000)
  return new AssertionError(`The document does not describe ${status} of ${method} ${path}: ${message}\n${received}`)
}
