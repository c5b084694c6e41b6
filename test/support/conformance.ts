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

/** What the check reads of an application. A project may have removed the plugin that writes the OpenAPI documents. */
interface DescribedApp {
  readonly servers: readonly Pick<Server, 'name' | 'prefix' | 'domain'>[]
  readonly openapiOperations?: (path: string) => Part | undefined
}

/**
 * Returns a check that reads the description of a server for the first response of it. Servers without a document and the
 * undescribed ones are not checked.
 */
export function conformanceTo(app: DescribedApp, undescribed: readonly string[] = []): Conformance {
  const servers = app.servers.toSorted((a, b) => b.prefix.length - a.prefix.length)
  const documents = new Map<string, Described | null>()
  return (exchange) => {
    const [path = ''] = exchange.path.split('?')
    const server = servers.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    if (!server || server.domain || undescribed.includes(server.name)) return
    if (!documents.has(server.name)) documents.set(server.name, load(app, server.name))
    documents.get(server.name)?.check(path.slice(server.prefix.length), exchange)
  }
}

function load({ openapiOperations }: DescribedApp, server: string): Described | null {
  const document = openapiOperations?.(server === 'default' ? '/docs.json' : `/${server}/docs.json`)
  return document ? new Described(document) : null
}

class Described {
  readonly #document: Part
  readonly #schemas: Schemas
  /** By the number of segments. */
  readonly #paths: ReadonlyMap<number, readonly { readonly segments: readonly string[]; readonly item: Part }[]>
  readonly #types: ReadonlySet<string | undefined>

  constructor(document: Part) {
    this.#document = document
    this.#schemas = new Schemas(document)
    const paths = Object.entries(document.paths).map(([path, item]) => ({ segments: path.split('/'), item }))
    this.#paths = Map.groupBy(paths, ({ segments }) => segments.length)
    this.#types = new Set(paths.map(({ segments }) => segments[1]))
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
      segments.every((segment, index) => segment === requested[index] || segment.startsWith('{'))
    return this.#paths.get(requested.length)?.find(({ segments }) => fits(segments))?.item
  }

  /** Returns whether the first path segment is described. */
  #describesType(path: string): boolean {
    return this.#types.has(path.split('/')[1])
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
