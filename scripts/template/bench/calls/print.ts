import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { productionVariables } from '../measured-service.ts'
import type { BenchSchema } from '../schema.ts'
import type { CallCount } from './count.ts'

/** Paths whose calls are counted, by schema. */
const pathsBySchema: Readonly<Record<string, readonly string[]>> = {
  blog: [
    '/articles/5001',
    '/articles?page[size]=50',
    '/articles?fields[articles]=title,publishedAt&sort=-publishedAt&page[size]=50',
    '/articles/5001/comments?page[size]=10',
    '/articles?page[size]=50&include=author,comments,tags',
  ],
  demo: ['/albums/1', '/albums/1?include=artist', '/albums', '/tracks?filter[genres]=jazz'],
}

export interface PathCount extends CallCount {
  readonly path: string
}

/** Prints calls and promises per request of the application, in total and by folder. `only` selects paths, and prints functions. */
export async function printCalls({ name, variables }: BenchSchema, databaseUrl: string, only?: string): Promise<void> {
  const paths = (pathsBySchema[name] ?? []).filter((path) => path.includes(only ?? ''))
  for (const { path, calls, promises, byFunction } of await countIn(paths, {
    ...variables,
    DATABASE_URL: databaseUrl,
  })) {
    console.log(`\nGET ${path}: ${calls.toFixed(1)} calls, ${promises.toFixed(1)} promises`)
    const lines = only === undefined ? byFolder(byFunction) : byFunction
    for (const [line, count] of lines) console.log(`${count.toFixed(1).padStart(8)}  ${line}`)
  }
}

export async function countIn(paths: readonly string[], variables: NodeJS.ProcessEnv): Promise<readonly PathCount[]> {
  const child = fork(resolve(import.meta.dirname, 'main.ts'), [JSON.stringify(paths)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...productionVariables, LOG_LEVEL: 'info', ...variables },
  })
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`The process that counts calls ended with ${code}.`)
  })
  const [counts] = (await Promise.race([once(child, 'message'), exit])) as [readonly PathCount[]]
  await exit.catch(() => {})
  return counts
}

function byFolder(functions: CallCount['byFunction']): [string, number][] {
  const folders = new Map<string, number>()
  for (const [name, calls] of functions) {
    const folder = name
      .split('/')
      .slice(0, 3)
      .join('/')
      .replace(/\.ts .*/, '.ts')
    folders.set(folder, (folders.get(folder) ?? 0) + calls)
  }
  return [...folders].sort(([, a], [, b]) => b - a)
}
