import { expect } from 'chai'
import type { Client } from './client.ts'
import { statementsOf } from './statements.ts'

/**
 * Asserts that a read runs as many statements after `addRows` has added rows as before. Without `addRows` it uses the
 * existing rows: no statement may then run more often than the include path has relationships.
 */
export async function expectConstantQueries(
  { client, headers = {} }: { readonly client: Client; readonly headers?: Record<string, string> },
  url: string,
  addRows?: () => Promise<unknown>,
): Promise<void> {
  const read = async () => countBySql(await statementsOf(() => readOnce(client, url, headers)))
  const before = await read()
  await addRows?.()
  const grown = repeatedStatements(addRows ? await read() : before, addRows ? before : new Map(), url)
  expect(grown, `statements of ${url} that grow with the rows`).to.deep.equal([])
}

/** Returns statements that run more often than before, and more often than the longest include path explains. */
export function repeatedStatements(
  times: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
  url: string,
): string[] {
  const [, paths = ''] = /[?&]include=([^&]*)/.exec(url) ?? []
  const steps = paths ? Math.max(...paths.split(',').map((path) => path.split('.').length)) : 0
  return [...times]
    .filter(([sql, count]) => count > Math.max(before.get(sql) ?? 0, steps + 1))
    .map(([sql, count]) => `${count} times ${sql}`)
}

export function countBySql(statements: readonly { readonly sql: string }[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const { sql } of statements) times.set(sql, (times.get(sql) ?? 0) + 1)
  return times
}

async function readOnce(client: Client, url: string, headers: Record<string, string>): Promise<void> {
  const { status, text } = await client.get(url, headers)
  expect(status, `${url}: ${text}`).to.equal(200)
}
