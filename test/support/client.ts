import { expect } from 'chai'
import type { Conformance } from './conformance.ts'
import { checkDocument } from './document-rules.ts'

export const mediaType = 'application/vnd.api+json'

/** A response whose document was checked against the rules of JSON:API. */
export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  /** The parsed document; null when there is no body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
  readonly body: any
  readonly text: string
}

export interface Client {
  readonly url: string
  get(path: string, headers?: Record<string, string>): Promise<ClientResponse>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<ClientResponse>
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<ClientResponse>
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<ClientResponse>
  send(
    method: string,
    path: string,
    init?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<ClientResponse>
}

/** Calls `wrote` after each successful write; `conforms` checks each response against the served OpenAPI document. */
export function createClient(url: string, wrote: () => void, conforms: Conformance = () => {}): Client {
  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    const hasBody = body !== undefined
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      redirect: 'manual',
      headers: {
        accept: mediaType,
        'accept-encoding': 'identity',
        ...(hasBody && { 'content-type': mediaType }),
        ...headers,
      },
      ...(hasBody && { body: toBytes(body) }),
    })
    if (!['GET', 'HEAD', 'OPTIONS'].includes(method) && response.ok) wrote()
    return toClientResponse(response, method, path, conforms)
  }
  return {
    url,
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    patch: (path, body, headers = {}) => send('PATCH', path, { body, headers }),
    delete: (path, body, headers = {}) => send('DELETE', path, { body, headers }),
  }
}

/** Sends text and bytes as they are, other values as JSON. */
function toBytes(body: unknown): string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body)
}

async function toClientResponse(
  response: Response,
  method: string,
  path: string,
  conforms: Conformance,
): Promise<ClientResponse> {
  const { status, headers } = response
  const text = await response.text()
  const contentType = headers.get('content-type') ?? ''
  if (!contentType.startsWith(mediaType)) {
    if (status === 204) conforms({ method, path, status, contentType, body: null })
    return { status, headers, text, body: null }
  }
  expect(contentType).to.match(/^application\/vnd\.api\+json(; (ext|profile)="[^"]+")*$/)
  expect(headers.get('vary') ?? '', 'Vary').to.match(/\bAccept\b/)
  if (method === 'HEAD') return { status, headers, text, body: null }
  const body = JSON.parse(text)
  checkDocument(body, status, contentType)
  conforms({ method, path, status, contentType, body })
  // A replayed error has the id of the request that it first answered.
  if (!headers.has('idempotency-replayed')) checkErrorIds(body, headers.get('x-request-id'))
  checkDescribedby(body)
  return { status, headers, text, body }
}

interface SentError {
  id?: string
  readonly status: string
  readonly code?: string
  readonly detail?: string
}

/** Checks that each error except a 500 without details has the id of the request, and removes it, so that tests compare the other members. */
function checkErrorIds({ errors = [] }: { errors?: SentError[] }, requestId: string | null): void {
  for (const [index, error] of errors.entries()) {
    const number = errors.length === 1 ? '' : `.${index + 1}`
    const isBare = error.status === '500' && error.code === undefined && error.detail === undefined
    expect(error.id).to.equal(requestId === null || isBare ? undefined : requestId + number)
    delete error.id
  }
}

/** Checks the `describedby` link of a success, and removes it, so that tests compare the other links. */
function checkDescribedby({ links }: { links?: Record<string, unknown> }): void {
  if (links?.describedby === undefined) return
  expect(links.describedby).to.match(/\/docs\.json$/)
  delete links.describedby
}
