import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineEntity, type EntityClass, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { appConfig, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { createHttp } from '#http'
import { defineResource } from '#kernel'
import type { App, Plugin } from '#kernel/plugin'
import { programMembers } from '#program'
import { createStore, mapEntities, type Orm } from '#store'
import { catalogue } from '#test/support/catalogue.ts'
import { testDatabase } from '#test/support/database.ts'
import { startCards } from '#test/template/support/library/cards.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { type ProcessResult, runNode } from '#test/template/support/run-node.ts'
import { type Section, summarize } from '../../../scripts/doctor/section.ts'
import { type Catalog, readCatalog } from '../../../scripts/support/catalog.ts'
import { inertUses } from '../../../scripts/support/findings.ts'
import { lossyFormats } from '../../../scripts/support/lossy-formats.ts'
import { unboundedSorts, unindexedKeys, unindexedLookups } from '../../../scripts/support/missing-indexes.ts'
import { missingPartialUniques } from '../../../scripts/support/partial-uniques.ts'

describe('npm run doctor', () => {
  it('prints disabled plugins and inert declarations, no check without findings, counts warnings, and exits with 0', async () => {
    const env = { ...settings, DISABLED_PLUGINS: 'client-types,openapi,http-headers' }
    const { code, lines } = read(await runNode(['scripts/doctor.ts'], { env }))
    expect(code, lines.join('\n')).to.equal(0)
    expect(lines[0]).to.match(/^The application would start: \d+ types, \d+ plugins\.$/)
    expect(under(lines, 'Plugins that are not enabled')).to.deep.equal([
      ['change-log'],
      ['client-types'],
      ['filter-expressions'],
      ['history'],
      ['http-headers'],
      ['live'],
      ['openapi'],
      ['webhooks'],
    ])
    for (const title of [
      'Valid, but probably a mistake',
      'Migrations',
      'Foreign keys',
      'Filters, sorts and cursors',
      'Times that documents show in part',
    ]) {
      expect(lines.filter((line) => line.startsWith(title))).to.deep.equal([])
    }
    const inert = under(lines, 'Declared without effect:')
    expect(inert).to.include.deep.members([
      ['devices', 'sunset', 'resources/devices/resource.ts'],
      ['albums', 'tags', 'resources/albums/resource.ts'],
    ])
    expect(lines.at(-1)).to.equal(`No faults, ${inert.length} warnings.`)
  })

  it('ends with the number of faults and warnings', () => {
    const sectionOf = (severity: Section['severity'], count: number): Section => ({
      name: severity,
      title: severity,
      severity,
      findings: Array(count).fill({ member: 'albums' }),
    })
    const summary = (faults: number, warnings: number, isStrict = false) =>
      summarize([sectionOf('fault', faults), sectionOf('warning', warnings), sectionOf('hint', 5)], isStrict)
    expect(summary(0, 0)).to.equal('Nothing to fix.')
    expect(summary(0, 1)).to.equal('No faults, 1 warning.')
    expect(summary(2, 0)).to.equal('2 to fix.')
    expect(summary(2, 3)).to.equal('2 to fix, 3 warnings.')
    expect(summary(2, 3, true)).to.equal('5 to fix.')
  })

  it('prints one document with --json, with the sections of the live database if there is one', async () => {
    const { url = '' } = await testDatabase()
    const { code, lines } = await run({ DATABASE_URL: url }, '--json')
    expect(code, lines.join('\n')).to.equal(0)
    const { types, plugins: count, faults, warnings, isLive, sections } = JSON.parse(lines.join('\n'))
    expect({ types, count, faults, warnings, isLive }).to.deep.equal({
      types: (await catalogue()).app.registry.types.size,
      count: plugins.length,
      faults: 0,
      warnings: 0,
      isLive: url !== '',
    })
    for (const section of sections) expect(section).to.include.keys('name', 'title', 'severity', 'findings')
    const names = sections.map(({ name }: { name: string }) => name)
    expect(names).to.include.members(['pendingMigrations', 'typesWithoutPolicy', ...(url ? ['unusedIndexes'] : [])])
  })

  it('exits with 1 and every reason why the application cannot start', async () => {
    const { code, lines } = await run({ DISABLED_PLUGINS: 'polls,polling' })
    expect(code).to.equal(1)
    expect(lines).to.deep.equal([
      "DISABLED_PLUGINS names 'polls', which is not a plugin.",
      "DISABLED_PLUGINS names 'polling', which is not a plugin.",
    ])
  })

  it('exits with 1 when the environment is invalid', async () => {
    const { code, lines } = await run({ PORT: 'none', LOG_LEVEL: 'loud' })
    expect(code).to.equal(1)
    expect(lines).to.have.length(3)
  })
})

describe('Findings about declarations', () => {
  it('names every modifier and key of disabled plugins', async () => {
    const found = inertUses(await library([...plugins, sleepy], ['sleepy']))
    expect(found.map(({ member, word }) => `${member} ${word}`)).to.deep.equal([
      'books lullaby',
      'books.title snooze()',
      'books.title relationOnly()',
      'books.info.secret snooze()',
      'books.shelf relationOnly()',
    ])
  })
})

describe('Times that documents show in part', () => {
  const lossesOf = async (declare: (builders: Builders) => readonly unknown[]) => {
    const orm = await mapEntities([Book, Shelf, Label, Tag, ReadingList, ListEntry, Visit])
    const declared = (entity: EntityClass<object>, type: string, fields: unknown) => ({
      file: `${type}.ts`,
      resource: defineResource(entity, { type, fields } as Builders),
    })
    const resources = [
      declared(Visit, 'visits', (builders: Builders) => [builders.id(), ...declare(builders)]),
      declared(Book, 'books', ({ id }: Builders) => [id()]),
      declared(ReadingList, 'lists', ({ id, belongsToMany }: Builders) => [
        id(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ dateTime }: Builders) => [dateTime('addedAt').format('YYYY-MM-DD')]),
      ]),
    ]
    const config = appConfig(readConfig({}))
    const options = { http: createHttp, members: programMembers, config, plugins, resources, servers: { default: {} } }
    const found = lossyFormats(await createApp({ ...options, store: createStore({ orm }) }), orm)
    expect(found.pop()).to.equal(
      'lists.books.addedAt (lists.ts): Its column is a timestamptz(3); documents do not show HH, mm, ss, SSS.',
    )
    return found
  }

  it('are listed with the parts of the column that are not shown', async () => {
    const found = await lossesOf(({ dateTime, date, time, map }) => [
      dateTime('minute').storedAs('at').format('YYYY-MM-DD HH:mm'),
      map('times', dateTime('second').storedAs('at').format('DD.MM.YYYY HH:mm:ss')),
      dateTime('exact'),
      date('day').storedAs('at'),
      time('opening'),
    ])
    expect(found).to.deep.equal([
      'visits.minute (visits.ts): Its column is a timestamptz(3); documents do not show ss, SSS.',
      'visits.times.second (visits.ts): Its column is a timestamptz(3); documents do not show SSS.',
      'visits.exact (visits.ts): Its column is a timestamptz(6); documents do not show microseconds.',
      'visits.day (visits.ts): Its column is a timestamptz(3); documents do not show HH, mm, ss, SSS.',
      'visits.opening (visits.ts): Its column is a time(2); documents do not show SSS.',
    ])
  })

  it('are not listed if nothing is lost, no update can write them, or a function converts them', async () => {
    const found = await lossesOf(({ dateTime, date, time }) => [
      dateTime('at'),
      dateTime('full').storedAs('at').format('YYYY-MM-DD HH:mm:ss.SSS'),
      dateTime('plain').storedAs('second').format('YYYY-MM-DD HH:mm:ss'),
      dateTime('shown').storedAs('at').format('YYYY').readOnly(),
      dateTime('sent').storedAs('at').format('YYYY').writeOnly(),
      dateTime('converted')
        .storedAs('at')
        .format('YYYY')
        .deserializeUsing(() => new Date()),
      date('birthday'),
      time('clock'),
    ])
    expect(found).to.deep.equal([])
  })
})

describe('Missing indexes', () => {
  const missingIndexes = async (change: Partial<Catalog>) => {
    const { orm } = await testDatabase()
    const catalog = { ...(await readCatalog(orm)), ...change }
    const lookups = unindexedLookups((await catalogue()).app, orm, catalog)
    return { keys: unindexedKeys(catalog), lookups: new Map(lookups.map(({ usedBy, create }) => [usedBy, create])) }
  }

  it('finds the indexes of keys, filters and sorts in the database', async () => {
    const { indexes } = await readCatalog((await testDatabase()).orm)
    const { keys, lookups } = await missingIndexes({
      indexes: indexes.filter(({ method }) => method !== 'gin'),
      hasTrigrams: false,
    })
    expect(keys).to.deep.equal([])
    expect([...lookups.keys()]).to.deep.equal(['tracks?filter[genres]'])
  })

  it('suggests one index statement for all uses that it serves', async () => {
    const { keys, lookups } = await missingIndexes({ indexes: [] })
    const index = '"albums_artist_id_index" on "albums" ("artist_id")'
    expect(keys).to.deep.include({ usedBy: 'albums.artist_id', create: `create index ${index}` })
    expect(lookups.get('artists?sort=name, artists?filter[artist.name]')).to.equal(
      'create index "artists_name_id_index" on "artists" ("name", "id")',
    )
    expect([...lookups].find(([usedBy]) => usedBy.includes('users?page[after]'))?.[1]).to.match(
      / on "users" \(.*"id"\)$/,
    )
    expect(lookups.get('tracks?filter[genres]')).to.match(/ using gin \("genres"\)$/)
  })

  it('suggests a trigram index for substring filters when the database has pg_trgm', async () => {
    const title = { table: 'albums', method: 'gin', operators: 'gin_trgm_ops' }
    const { lookups } = await missingIndexes({ hasTrigrams: true })
    expect(lookups.get('albums?filter[title], albums?filter[q]')).to.equal(
      'create index on "albums" using gin (lower("title"::text COLLATE "C") gin_trgm_ops)',
    )
    const { indexes } = await readCatalog((await testDatabase()).orm)
    const withTitle = [...indexes, { ...title, keys: ['lower((title)::text COLLATE "C")'] }]
    expect([...(await missingIndexes({ hasTrigrams: true, indexes: withTitle })).lookups.keys()].join()).not.to.include(
      'albums?filter[title]',
    )
    expect([...(await missingIndexes({ hasTrigrams: false })).lookups.keys()].join()).not.to.include('[title]')
  })

  it('reports sorts by unlimited text separately', async () => {
    const { orm } = await testDatabase()
    const catalog = await readCatalog(orm)
    const { app } = await catalogue()
    expect(unboundedSorts(app, orm, catalog)).to.deep.equal([
      'artists?sort=slug',
      'public-profiles?sort=displayName',
      'tracks?sort=title',
    ])
    const index = { table: 'tracks', method: 'btree', keys: ['title', 'id'], operators: '' }
    expect(unboundedSorts(app, orm, { ...catalog, indexes: [index] })).not.to.include('tracks?sort=title')
  })

  it('suggests statements after which no index is missing', async () => {
    const { orm } = await testDatabase()
    const em = orm.em.fork()
    const suggested = async () => {
      const catalog = await readCatalog({ em: { fork: () => em } } as unknown as Orm)
      return unindexedLookups((await catalogue()).app, orm, { ...catalog, hasTrigrams: false })
    }
    await em.begin()
    await em.execute('drop index albums_title_id_index, artists_slug_index, tracks_genres_index')
    const missing = await suggested()
    for (const { create } of missing) await em.execute(create)
    const left = await suggested()
    await em.rollback()
    expect(missing.map(({ usedBy }) => usedBy)).to.have.members([
      'albums?sort=title',
      'artists?filter[slug]',
      'tracks?filter[genres]',
    ])
    expect(left).to.deep.equal([])
  })
})

describe('Partial unique indexes of types with soft deletes', () => {
  const findings = async (...statements: readonly string[]) => {
    const { app, close } = await startCards()
    const { orm } = await libraryDatabase()
    const em = orm.em.fork()
    await em.begin()
    try {
      for (const sql of statements) await em.execute(sql)
      return missingPartialUniques(app, orm, await readCatalog({ em: { fork: () => em } } as unknown as Orm))
    } finally {
      await em.rollback()
      await close()
      await emptyLibrary()
    }
  }
  const handle = 'create unique index on "cards" ("handle") where "deleted_at" is null'

  it('are suggested for a rule that no index enforces', async () => {
    expect(await findings()).to.deep.equal([{ usedBy: 'cards: uniqueEntity() of handle', create: handle }])
    expect(await findings(handle)).to.deep.equal([])
  })

  it('are suggested in place of an index or a constraint that counts trashed rows', async () => {
    const index = 'create unique index "cards_handle" on "cards" ("handle")'
    const constraint = 'alter table "cards" add constraint "cards_pair" unique ("code", "handle")'
    const found = await findings(index, constraint)
    expect(found).to.deep.equal([
      {
        usedBy: 'cards: cards_handle counts trashed rows',
        create: `drop index "cards_handle"; ${handle.replace('"handle"', 'handle')}`,
      },
      {
        usedBy: 'cards: cards_pair counts trashed rows',
        create:
          'alter table "cards" drop constraint "cards_pair"; create unique index on "cards" (code, handle) where "deleted_at" is null',
      },
    ])
    expect(await findings(index, constraint, ...found.flatMap(({ create }) => create.split('; ')))).to.deep.equal([])
    expect((await findings(index, handle)).map(({ create }) => create)).to.deep.equal(['drop index "cards_handle"'])
  })

  it('are not suggested for other types', async () => {
    const { orm } = await testDatabase()
    expect(missingPartialUniques((await catalogue()).app, orm, await readCatalog(orm))).to.deep.equal([])
  })
})

const visitSchema = defineEntity({
  name: 'Visit',
  properties: {
    id: p.integer().primary(),
    at: p.datetime(3),
    second: p.datetime(0),
    exact: p.datetime(6),
    birthday: p.date(),
    clock: p.time(0),
    opening: p.time().columnType('time(2)'),
  },
})
class Visit extends visitSchema.class {}
visitSchema.setClass(Visit)

/** Declares two modifiers and a key without behaviour. */
const sleepy: Plugin = {
  name: 'sleepy',
  keys: { lullaby: null },
  modifiers: {
    attribute: { snooze: () => ({}), relationOnly: () => ({}) },
    relation: { relationOnly: () => ({}) },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler has no types for the modifiers of the sleepy plugin
type Builders = any

async function library(list: readonly Plugin[], disabled: readonly string[] = []): Promise<App> {
  const declaration: Builders = {
    type: 'books',
    lullaby: true,
    fields: (builders: Builders) => [
      builders.id(),
      builders.string('title').snooze().snooze().relationOnly(),
      builders.map('info', builders.string('secret').snooze()),
      builders.belongsTo('shelf', 'shelves').relationOnly(),
    ],
  }
  const books = defineResource(Book, declaration)
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
  return createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(readConfig({})),
    plugins: list,
    disabled,
    resources: [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource })),
    servers: { default: {} },
    store: createStore({ orm: await mapEntities([Book, Shelf, Label, Tag]) }),
  })
}

interface Output {
  readonly code: number
  readonly lines: readonly string[]
}

const settings = { DATA_DIR: join(tmpdir(), 'none') }

/** Runs the script with the settings of the project, independent of the environment of the tests. */
async function run(env: Record<string, string> = {}, ...args: string[]): Promise<Output> {
  return read(await runCommand(['scripts/doctor.ts', ...args], { ...settings, ...env }))
}

function read({ stdout, stderr, code }: ProcessResult): Output {
  return { code, lines: (stdout + stderr).trimEnd().split('\n') }
}

/** Returns the rows below a title. */
function under(lines: readonly string[], title: string): string[][] {
  const at = lines.findIndex((line) => line.startsWith(title))
  expect(at, title).to.be.above(0)
  return lines.slice(at + 1, lines.indexOf('', at)).map(toCells)
}

function toCells(line: string): string[] {
  return line.trim().split(/ {2,}/)
}
