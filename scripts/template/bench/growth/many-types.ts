import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { type MeasuredService, startApplication } from '../measured-service.ts'
import { median } from '../report.ts'
import type { Limit } from './limits.ts'

const root = resolve(import.meta.dirname, '../../../..')
const folder = '.bench-types'
const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const few = 16
const many = 200
const clients = 16

/** Measures how the start grows with the number of types, and the heap with the number of distinct queries. */
export async function findTypeLimits(database: pg.Client, databaseUrl: string, queries: number): Promise<Limit[]> {
  try {
    await createTables(database)
    const small = await startCpu(databaseUrl, few)
    const large = await startCpu(databaseUrl, many)
    return [
      {
        name: `CPU milliseconds of a start per type, from ${few} to ${many} types`,
        value: (large - small) / (many - few),
        goal: 10,
      },
      await cacheGrowth(databaseUrl, queries),
    ]
  } finally {
    rmSync(join(root, folder), { recursive: true, force: true })
  }
}

/** Measures CPU milliseconds until the first response: the median of three starts after one that fills the compile cache. */
async function startCpu(databaseUrl: string, types: number): Promise<number> {
  writeTypes(types)
  const measured: number[] = []
  for (let start = 0; start < 4; start++) {
    const service = await startTypes(databaseUrl)
    await read(service, '/items1')
    measured.push((await service.read()).cpu)
    await service.stop()
  }
  return median(measured.slice(1))
}

/** Measures the heap growth in MB between a tenth of the distinct queries of each type and all of them. */
async function cacheGrowth(databaseUrl: string, queries: number): Promise<Limit> {
  writeTypes(many)
  const service = await startTypes(databaseUrl)
  await sendQueries(service, 0, queries / 10)
  const { heap: early } = await service.read({ collect: true })
  await sendQueries(service, queries / 10, queries)
  const { heap: late } = await service.read({ collect: true })
  await service.stop()
  return {
    name: `MB of heap gained between ${queries / 10} and ${queries} distinct queries of each of ${many} types`,
    value: (late - early) / 1e6,
    goal: 10,
  }
}

function startTypes(databaseUrl: string): Promise<MeasuredService> {
  return startApplication(databaseUrl, { RESOURCE_PATHS: folder })
}

async function sendQueries(service: MeasuredService, first: number, end: number): Promise<void> {
  const total = (end - first) * many
  let sent = 0
  const send = async () => {
    while (sent < total) {
      const index = sent++
      const type = `items${(index % many) + 1}`
      await read(service, `/${type}?${buildQuery(type, first + Math.floor(index / many))}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, send))
}

async function read(service: MeasuredService, path: string): Promise<void> {
  const response = await fetch(service.url + path, { headers: service.headers })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

/** Returns one of 15,120 queries of a type that differ in fieldset, sort, filter or include. */
function buildQuery(type: string, index: number): string {
  let rest = index
  const digit = (base: number) => {
    const value = rest % base
    rest = Math.floor(rest / base)
    return value
  }
  const subset = digit(63) + 1
  const first = digit(6)
  const second = (first + 1 + digit(5)) % 6
  const direction = digit(2) ? '-' : ''
  const include = digit(2) ? '&include=next' : ''
  const filter = digit(2) ? '&filter[id]=1' : ''
  const fieldset = names.filter((_, position) => subset & (1 << position))
  return `fields[${type}]=${fieldset}&sort=${direction}${names[first]},${names[second]}${include}${filter}&page[size]=5`
}

/** Writes folders of types with six attributes and a relation to the next type. */
function writeTypes(count: number): void {
  rmSync(join(root, folder), { recursive: true, force: true })
  for (let type = 1; type <= count; type++) {
    const path = join(root, folder, `items${type}`)
    mkdirSync(path, { recursive: true })
    const next = (type % count) + 1
    writeFileSync(join(path, 'entity.ts'), entityText(type, next))
    writeFileSync(join(path, 'resource.ts'), resourceText(type, next))
  }
}

function entityText(type: number, next: number): string {
  return `import { defineEntity, p } from '@mikro-orm/core'
${importLine(`Item${next}`, `../items${next}`)}

const schema = defineEntity({
  name: 'Item${type}',
  tableName: 'items${type}',
  properties: {
    id: p.integer().primary(),
    ${names.map((name) => `${name}: p.string().length(100),`).join('\n    ')}
    next: () => p.manyToOne(Item${next}).ref(),
  },
})

export class Item${type} extends schema.class {}

schema.setClass(Item${type})
`
}

function resourceText(type: number, next: number): string {
  return `import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
${importLine(`Item${type}`, '.')}

export default defineResource(Item${type}, {
  type: 'items${type}',
  fields: ({ id, string, belongsTo }) => [
    id(),
    ${names.map((name) => `string('${name}').required().sortable(),`).join('\n    ')}
    belongsTo('next', 'items${next}').required(),
  ],
  policy: open,
})
`
}

function importLine(entity: string, folder: string): string {
  return `import { ${entity} } from '${folder}/entity.ts'`
}

async function createTables(database: pg.Client): Promise<void> {
  const columns = names.map((name) => `${name} varchar(100) not null`)
  for (let type = 1; type <= many; type++) {
    await database.query(`create table items${type} (id serial primary key, ${columns}, next_id int not null)`)
    await database.query(
      `insert into items${type} select n, ${names.map((name) => `'${name} ' || n`)}, n from generate_series(1, 5) n`,
    )
  }
}
