import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import { type Answer, mediaType } from '#test/support/client.ts'
import { checkDocument } from '#test/support/document-rules.ts'

export { atomicMediaType, atomicUri } from '#test/support/batch.ts'

export const cursorUri = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'

export type Source = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string }

/** The answer is this one error; null means that it has no source. */
export function expectError(answer: Answer, status: number, code: string, source: Source | null = null): void {
  expect(answer.status, answer.text).to.equal(status)
  expect(answer.body.errors, answer.text).to.have.length(1)
  const [error] = answer.body.errors
  expect(error.code).to.equal(code)
  expect(error.source ?? null).to.deep.equal(source)
}

/** The answer is an HTTP exception: a title by its status, and no code. */
export function expectHttpError(answer: Answer, status: number, title: string): void {
  expect(answer.status, answer.text).to.equal(status)
  const [error] = answer.body.errors
  expect(error.title).to.equal(title)
  expect(error).not.to.have.property('code')
}

/** The router's own answer, which is not a document. */
export function expectPlain404(answer: Answer): void {
  expect(answer.status).to.equal(404)
  expect(answer.headers.get('content-type')).not.to.contain(mediaType)
}

/** Code and place of each error, for answers that have several. */
export function faultsOf({ body }: Answer): { code: string; source: Source }[] {
  return body.errors.map(({ code, source }: { code: string; source: Source }) => ({ code, source }))
}

export function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map((item) => item.id)
}

/** `albums 1`, for lists of mixed types. */
export function namesOf(items: readonly { readonly type: string; readonly id: string }[]): string[] {
  return items.map(({ type, id }) => `${type} ${id}`)
}

export interface Message {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
  readonly body: any
}

/** Sends exactly these headers, path and bytes: `fetch` adds an Accept and mends URLs. */
export function sendRaw(url: string, { method = 'GET', path, headers = {}, body }: Message): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve(toRawAnswer(response.statusCode as number, response.headers, Buffer.concat(chunks).toString()))
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Whatever was asked, the answer is a document, and not a failure of ours. */
export function expectDocument({ status, headers, body }: RawAnswer, request: string): void {
  expect(status, request).to.be.below(500)
  expect(headers['content-type'] ?? '', request).to.contain(mediaType)
  expect(body, request).to.be.an('object')
}

function toRawAnswer(status: number, headers: IncomingHttpHeaders, text: string): RawAnswer {
  const contentType = headers['content-type'] ?? ''
  if (!contentType.startsWith(mediaType) || text === '') return { status, headers, body: null }
  const body = JSON.parse(text)
  checkDocument(body, status, contentType)
  return { status, headers, body }
}
