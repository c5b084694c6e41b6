import { resolve } from 'node:path'
import type pg from 'pg'
import { restoreBlog, seedBlog } from './blog/seed.ts'
import { blogItems } from './blog/work-items.ts'
import { prepareDemo, restoreDemo } from './demo/prepare.ts'
import { demoItems } from './demo/work-items.ts'
import type { WorkItem } from './work-items.ts'

/** Tables, rows, the services that serve them, and the requests that are measured. */
export interface BenchSchema {
  readonly name: string
  readonly items: readonly WorkItem[]
  /** Environment variables of this service. */
  readonly variables: Readonly<Record<string, string>>
  /** The entry files of the services that are compared with it, by name. */
  readonly others: Readonly<Record<string, string>>
  /** Values that differ because each service creates its rows. */
  readonly generatedValues: RegExp
  prepare(database: pg.Client, databaseUrl: string): Promise<void>
  /** Deletes the rows that writes have added, so that every run starts with the same tables. */
  restore(database: pg.Client): Promise<void>
}

const pathOf = (file: string) => resolve(import.meta.dirname, file)

export const schemas: readonly BenchSchema[] = [
  {
    name: 'blog',
    items: blogItems,
    variables: { RESOURCE_PATHS: 'scripts/template/bench/blog/resources' },
    others: { 'by hand': pathOf('blog/by-hand.ts'), limit: pathOf('blog/limit.ts') },
    generatedValues: /\/comments\/\d+|"id":"\d+"/g,
    prepare: seedBlog,
    restore: restoreBlog,
  },
  {
    name: 'demo',
    items: demoItems,
    variables: {},
    others: { 'by hand': pathOf('demo/by-hand/main.ts') },
    generatedValues: /\/tracks\/\d+|"id":"\d+"|"trackCount":\d+/g,
    prepare: prepareDemo,
    restore: restoreDemo,
  },
]
