import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'

/** A guide of docs/ with the parts that can be tested. */
export interface Guide {
  readonly file: string
  readonly text: string
  /** Complete modules. */
  readonly modules: readonly string[]
  /** Code in the first cells of tables. */
  readonly cells: readonly string[]
  readonly exchanges: readonly Exchange[]
}

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly status: number
  /** Members that the response has, among others. */
  readonly response: unknown
}

const exchange = /```http\n(\S+) (\S+)\n((?:[\w-]+: .*\n)*)(?:\n([\s\S]*?))?```\n```json(?: (\d+))?\n([\s\S]*?)```/g

/** Reads the guides in a folder of docs/, without its subfolders. */
export function readGuides(folder = ''): Guide[] {
  const files = readdirSync(join(root, 'docs', folder)).filter((file) => file.endsWith('.md'))
  return files.map((file) => readGuide(join(folder, file)))
}

/** Reads a guide; `file` is relative to docs/. */
export function readGuide(file: string): Guide {
  const text = readFileSync(join(root, 'docs', file), 'utf8')
  const modules = [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, code = '']) => code)
  return { file, text, modules, cells: cellsIn(text), exchanges: [...text.matchAll(exchange)].map(toExchange) }
}

/** Sends the request, and asserts that the response has the status and the members of the guide. */
export async function expectExchange(client: Client, exchange: Exchange): Promise<void> {
  const { method, path, headers, body, status, response: expected } = exchange
  const sent = { headers: { ...headers }, ...(body !== undefined && { body }) }
  const response = await client.send(method, path, sent)
  expect(response.status, `${method} ${path}: ${response.text}`).to.equal(status)
  expectPart(response.body, withUrl(expected, client.url), `${method} ${path}`)
}

function cellsIn(text: string): string[] {
  const first = text.split('\n').flatMap((line) => /^\| (`.*?`) \| /.exec(line)?.[1] ?? [])
  return first.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
}

function toExchange([, method = '', path = '', headers = '', body, status, response = '']: RegExpExecArray): Exchange {
  const sent = Object.fromEntries(headers.split('\n').filter(Boolean).map(toHeader))
  const isJson = sent['content-type']?.includes('json') ?? true
  return {
    method,
    path,
    headers: sent,
    body: body && isJson ? JSON.parse(body) : body,
    status: Number(status ?? 200),
    response: JSON.parse(response),
  }
}

function toHeader(line: string): [name: string, value: string] {
  const [name = '', value = ''] = line.split(': ')
  return [name.toLowerCase(), value]
}

/** Replaces the address of the guides by that of the test. */
function withUrl(response: unknown, url: string): unknown {
  return JSON.parse(JSON.stringify(response).replaceAll('http://127.0.0.1:3000', url))
}

/** Asserts that lists have these items and objects have these members. */
function expectPart(actual: unknown, part: unknown, location: string): void {
  if (typeof part !== 'object' || part === null) {
    expect(actual, location).to.equal(part)
    return
  }
  if (Array.isArray(part)) expect(actual, location).to.be.an('array').with.length(part.length)
  for (const [name, value] of Object.entries(part)) {
    expectPart((actual as Record<string, unknown> | undefined)?.[name], value, `${location} ${name}`)
  }
}
