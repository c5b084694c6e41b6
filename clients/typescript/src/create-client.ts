import { sendBatch } from './batch.ts'
import type { Client } from './client.ts'
import { closable } from './closable.ts'
import { type LinkedValue, type NewResourceInput, toLinkage, toResource } from './documents.ts'
import { JsonApiError } from './errors.ts'
import { firstRows, liveRows } from './live.ts'
import { Reading, toResult } from './pages.ts'
import { type QueryInput, toQueryString } from './query-string.ts'
import type { ApiSchema } from './schema.ts'
import { type Call, type ConnectionOptions, type Connector, createConnector, createSend, type Send } from './send.ts'
import { type Identifier, toRef } from './to-rows.ts'

/** The URL segments that differ from the names, by type and by `type.relation`. */
type PathsOf<Types> = {
  readonly [Type in keyof Types as Types[Type] extends { readonly path: Type } ? never : Type]: Types[Type] extends {
    readonly path: infer Path
  }
    ? Path
    : never
} & {
  readonly [Name in RelationPaths<Types> as `${Name[0]}.${Name[1]}`]: Name[2]
}
/** Relations whose URL segment is not their name: `[type, relation, segment]`. */
type RelationPaths<Types> = {
  [Type in keyof Types & string]: Types[Type] extends { readonly relations: infer Relations }
    ? {
        [Name in keyof Relations & string]: Relations[Name] extends { readonly path: infer Path }
          ? Path extends Name
            ? never
            : [Type, Name, Path]
          : never
      }[keyof Relations & string]
    : never
}[keyof Types & string]

export type ClientOptions<Api extends ApiSchema> = ConnectionOptions &
  ([keyof PathsOf<Api['types']>] extends [never] ? unknown : { readonly paths: PathsOf<Api['types']> })

/** Creates a client: `createClient<Api>({ url: 'https://api.example.com', token })`. */
export function createClient<Api extends ApiSchema>(options: ClientOptions<Api>): Client<Api> {
  const send = createSend(options)
  const open = (call: Call, signal: AbortSignal) => createConnector(options, call, signal)
  const { paths = {} } = options as { readonly paths?: Readonly<Record<string, string>> }
  const types = new Map<string, object>()
  const helpers: Record<string, unknown> = {
    $batch: (build: (batch: object) => unknown, batchOptions?: object) => sendBatch(send, build, batchOptions),
    $isError: isError,
    async $attempt(request: PromiseLike<unknown>) {
      try {
        return { ok: true, value: await request }
      } catch (error) {
        if (!isError(error)) throw error
        return { ok: false, error }
      }
    },
  }
  const get = (_: object, name: string | symbol) => {
    // A promise that resolves to the client reads `then`.
    if (typeof name === 'symbol' || name === 'then') return undefined
    if (name in helpers) return helpers[name]
    if (!types.has(name)) types.set(name, createMethods(name, send, open, paths))
    return types.get(name)
  }
  return new Proxy({}, { get }) as Client<Api>
}

const isError = (error: unknown) => error instanceof JsonApiError

type Options = QueryInput & NewResourceInput & Pick<Call, 'signal' | 'headers' | 'ifMatch' | 'idempotencyKey'>
interface ActionOptions extends Options {
  readonly method?: string
  readonly input?: unknown
  readonly contentType?: string
}

function createMethods(
  type: string,
  send: Send,
  open: (call: Call, signal: AbortSignal) => Connector,
  paths: Readonly<Record<string, string>>,
) {
  const segment = (name: string) => encodeURIComponent(paths[name] ?? name.slice(name.indexOf('.') + 1))
  const url = (id?: string, ...rest: readonly string[]) =>
    [`/${segment(type)}`, ...(id === undefined ? [] : [encodeURIComponent(id)]), ...rest].join('/')
  const call = ({ signal, headers, ifMatch, idempotencyKey }: Options) => ({ signal, headers, ifMatch, idempotencyKey })

  const read = (path: string, query: Options = {}) =>
    new Reading(
      (search) => send({ method: 'GET', path, search, signal: query.signal, headers: query.headers }),
      toQueryString(query),
      query.include,
    )
  const stream = (signal: AbortSignal, path: string, { headers, ...query }: Options = {}) =>
    liveRows(open({ method: 'GET', path, search: toQueryString(query), headers }, signal), query.include)
  const write = async (method: string, path: string, options: Options, parts: Partial<Call> = {}) =>
    toResult(await send({ method, path, search: toQueryString(options), ...call(options), ...parts }), options.include)
  const relate =
    (method: string) =>
    async (id: string, relation: string, linkage: LinkedValue, options: Options = {}) => {
      const path = url(id, 'relationships', segment(`${type}.${relation}`))
      await write(method, path, options, { body: { data: toLinkage(linkage) } })
    }

  return {
    list: (query?: Options) => read(url(), query),
    live: (query?: Options) => closable(query?.signal, (signal) => stream(signal, url(), query)),
    liveOne: (id: string, query?: Options) =>
      closable(query?.signal, (signal) => firstRows(stream(signal, url(id), query))),
    find: (filter: object, query?: Options) => read(url(), { ...query, filter } as Options).then((row) => row),
    get: (id: string, query?: Options) => read(url(id), query).then((row) => row),
    related: (id: string, relation: string, query?: Options) => read(url(id, segment(`${type}.${relation}`)), query),
    async linkage(id: string, relation: string, options: Options = {}) {
      const path = url(id, 'relationships', segment(`${type}.${relation}`))
      const { document } = await send({ method: 'GET', path, search: toQueryString(options), ...call(options) })
      return toMembers(document?.data)
    },
    create: (attributes: object, { id, relations, ...options }: Options = {}) =>
      write('POST', url(), options, {
        body: { data: toResource({ type, ...(id !== undefined && { id }) }, attributes, relations) },
      }),
    update: (id: string, attributes: object, { relations, ...options }: Options = {}) =>
      write('PATCH', url(id), options, { body: { data: toResource({ type, id }, attributes, relations) } }),
    remove: (id: string, options: Options = {}) => write('DELETE', url(id), options),
    add: relate('POST'),
    replace: relate('PATCH'),
    removeFrom: relate('DELETE'),
    action(name: string, { id, method = 'POST', input, contentType, ...options }: ActionOptions = {}) {
      const path = url(id, '-actions', encodeURIComponent(name))
      return write(method, path, options, actionBody(input, contentType))
    },
    ref: (id: string) => ({ type, id }),
  }
}

/** Raw input with its content type, or a document. */
function actionBody(input: unknown, contentType: string | undefined): Partial<Call> {
  if (input === undefined) return {}
  if (contentType !== undefined) return { body: input, contentType }
  const { type, id, attributes, relations } = input as Options & { readonly type: string; readonly attributes?: object }
  return { body: { data: toResource({ type, ...(id !== undefined && { id }) }, attributes, relations) } }
}

function toMembers(data: unknown): unknown {
  return Array.isArray(data) ? data.map(toRef) : data && toRef(data as Identifier)
}
