import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { productionVariables } from '../measured-service.ts'
import type { BenchSchema } from '../schema.ts'
import type { CallCount } from './count.ts'
import { type CountedItem, countedItems } from './items.ts'

interface ItemCount extends CallCount {
  readonly name: string
}

interface Selection {
  /** A part of the name of an item. */
  readonly only?: string | undefined
  /** Whether the calls of each function are printed. Default: of each folder. */
  readonly functions: boolean
}

/** Prints calls and promises per request of the application, in total and by folder or function. */
export async function printCalls(
  schema: BenchSchema,
  databaseUrl: string,
  { only = '', functions }: Selection,
): Promise<void> {
  const items = (await countedItems(schema.name)).filter(({ name }) => name.includes(only))
  const variables = { ...schema.variables, DATABASE_URL: databaseUrl }
  for (const { name, calls, promises, byFunction } of await countIn(items, variables)) {
    console.log(`\n${name}: ${calls.toFixed(1)} calls, ${promises.toFixed(1)} promises`)
    for (const [line, count] of functions ? byFunction : byFolder(byFunction)) {
      console.log(`${count.toFixed(1).padStart(8)}  ${line}`)
    }
  }
}

/** Counts in a process of its own, whose application is in production. */
export async function countIn(
  items: readonly CountedItem[],
  variables: NodeJS.ProcessEnv,
): Promise<readonly ItemCount[]> {
  const child = fork(resolve(import.meta.dirname, 'main.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...productionVariables, LOG_LEVEL: 'info', ...variables },
  })
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`The process that counts calls ended with ${code}.`)
  })
  child.once('message', () => child.send(items))
  await Promise.race([once(child, 'message'), exit])
  const [counts] = (await Promise.race([once(child, 'message'), exit])) as [readonly ItemCount[]]
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
