import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './app.ts'

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

export function readGuides(): Guide[] {
  const files = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  return files.map((file) => {
    const text = readFileSync(join(root, 'docs', file), 'utf8')
    const modules = [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map(([, code = '']) => code)
    return { file, text, modules, cells: cellsIn(text), exchanges: [...text.matchAll(exchange)].map(toExchange) }
  })
}

function cellsIn(text: string): string[] {
  const first = text.split('\n').flatMap((line) => /^\| (`.*?`) \| /.exec(line)?.[1] ?? [])
  return first.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
}

function toExchange([, method = '', path = '', headers = '', body, status, response = '']: RegExpExecArray): Exchange {
  return {
    method,
    path,
    headers: Object.fromEntries(headers.split('\n').filter(Boolean).map(toHeader)),
    body: body ? JSON.parse(body) : undefined,
    status: Number(status ?? 200),
    response: JSON.parse(response),
  }
}

function toHeader(line: string): [name: string, value: string] {
  const [name = '', value = ''] = line.split(': ')
  return [name.toLowerCase(), value]
}
