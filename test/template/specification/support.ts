import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import { type ClientResponse, mediaType } from '#test/support/client.ts'
import { checkDocument } from '#test/support/document-rules.ts'

export { atomicMediaType, atomicUri } from '#test/support/batch.ts'

export const cursorUri = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'

export type Source = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string }

/** Asserts that the response has exactly this error; a null source means that the error has no source. */
export function expectError(answer: ClientResponse, status: number, code: string, source: Source | null = null): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.body.errors, answer.text).to.have.length(1)
  const [error] = answer.body.errors
  expect(error.code).to.equal(code)
  expect(error.source ?? null).to.deep.equal(source)
}

/** Asserts an HTTP exception: a title by its status, and no code. */
export function expectHttpError(answer: ClientResponse, status: number, title: string): void {
  expect(answer.status, answer.text).to.equal(status)
  const [error] = answer.body.errors
  expect(error.title).to.equal(title)
  expect(error).not.to.have.property('code')
}

/** Asserts the router's own 404 response, which is not a JSON:API document. */
export function expectPlain404(answer: ClientResponse): void {
  expect(answer.status).to.equal(404)
  expect(answer.headers.get('content-type')).not.to.contain(mediaType)
}

/** Returns code and source of each error of a response with several errors. */
export function readFaults({ body }: ClientResponse): { code: string; source: Source }[] {
  return body.errors.map(({ code, source }: { code: string; source: Source }) => ({ code, source }))
}

export function readIds(items: readonly { readonly id: string }[]): string[] {
  return items.map((item) => item.id)
}

/** Returns `albums 1` for each item of a list of mixed types. */
export function printIdentifiers(items: readonly { readonly type: string; readonly id: string }[]): string[] {
  return items.map(({ type, id }) => `${type} ${id}`)
}

export interface Message {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
  readonly body: any
}

/** Sends exactly these headers, path and bytes: `fetch` adds an Accept header and normalizes URLs. */
export function sendRaw(url: string, { method = 'GET', path, headers = {}, body }: Message): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve(toRawResponse(response.statusCode as number, response.headers, Buffer.concat(chunks).toString()))
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Asserts that the response is a JSON:API document and not a server error. */
export function expectDocument({ status, headers, body }: RawResponse, request: string): void {
  expect(status, request).to.be.below(500)
  expect(headers['content-type'] ?? '', request).to.contain(mediaType)
  expect(body, request).to.be.an('object')
}

function toRawResponse(status: number, headers: IncomingHttpHeaders, text: string): RawResponse {
  const contentType = headers['content-type'] ?? ''
  if (!contentType.startsWith(mediaType) || text === '') return { status, headers, body: null }
  const body = JSON.parse(text)
  checkDocument(body, status, contentType)
  return { status, headers, body }
}
