import { gzipSync } from 'node:zlib'
import type { Json } from '#test/template/support/corrupt-json.ts'
import type { FuzzRequest } from '../send.ts'

export type Parameter = readonly [name: string, value: string]

/** A request in parts, so that a mutation can change one of them. */
export interface Candidate {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly headers: Readonly<Record<string, string>>
  /** Text is sent unchanged, anything else as JSON. */
  readonly body: Json
  readonly gzip: boolean
}

export function toCandidate({ method, path, headers, body }: FuzzRequest): Candidate {
  const [pathname = '/', search = ''] = path.split('?')
  const parameters = search.split('&').filter(Boolean).map(toParameter)
  return { method, path: pathname, parameters, headers, body: parse(body), gzip: false }
}

export function toRequest({ method, path, parameters, headers, body, gzip }: Candidate): FuzzRequest {
  const search = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  const url = search === '' ? path : `${path}?${search}`
  if (body === null) return { method, path: url, headers, body }
  const text = bodyText(body)
  if (!gzip) return { method, path: url, headers, body: text }
  return { method, path: url, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(text) }
}

export function bodyText(body: Json): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Returns the shape of a candidate. Candidates with the same shape differ only in values, so one of them is listed. */
export function candidateShape({ method, path, parameters }: Candidate): string {
  const route = path.replace(/^(\/admin)?(\/[^/]+)\/[^/]+/, '$2/{id}').replace('/admin', '')
  const families = new Set(parameters.map(([name]) => name.replace(/\W.*$/s, '')))
  return `${method} ${route} ${[...families].sort().join('&')}`
}

function toParameter(text: string): Parameter {
  const [name = '', ...value] = text.split('=')
  return [decode(name), decode(value.join('='))]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Keeps brackets and commas unencoded, so that more of them fit. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(5B|5D|2C)/g, decodeURIComponent)
}

function parse(body: FuzzRequest['body']): Json {
  if (body === null) return null
  try {
    return JSON.parse(String(body))
  } catch {
    return String(body)
  }
}
