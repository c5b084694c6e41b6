import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { declaredResources } from '#app/resources.ts'
import {
  BootError,
  type DeclaredResource,
  defineResource,
  discover,
  type Field,
  type NeedsPlugin,
  type Plugin,
} from '#kernel'
import { Artist } from '#resources/artists/entity.ts'
import { buildApp, catalogue, root, startApp, type TestApp, type TestAppOptions } from './support/app.ts'
import type { Client } from './support/client.ts'
import { startLibrary } from './support/library/index.ts'

// Every plugin off, in both ways there are; then some of them, and a resource, deleted from a copy of the project.

const declared = await declaredResources(await discover(root))

const ways: Readonly<Record<string, (names: readonly string[]) => TestAppOptions>> = {
  'named in DISABLED_PLUGINS': (names) => ({ disabled: names }),
  'left out of the list': (names) => ({ plugins: plugins.filter(({ name }) => !names.includes(name)) }),
}

describe('with every plugin', () => {
  it('no word of a resource is without a meaning', async () => {
    expect(inertWords(await catalogue())).to.deep.equal([])
  })
})

for (const plugin of plugins) {
  const removed = withDependents(plugin.name)
  const dependents = plugins.filter(({ requires }) => requires?.includes(plugin.name)).map(({ name }) => name)

  describe(`without ${removed.join(' and ')}`, () => {
    for (const dependent of dependents) {
      it(`the application does not start while ${dependent}, which needs it, is on`, async () => {
        expect(await refusal({ disabled: [plugin.name] })).to.include(
          `Plugin '${dependent}' needs '${plugin.name}': disable both, or neither.`,
        )
        const others = plugins.filter(({ name }) => name !== plugin.name)
        expect(await refusal({ plugins: others })).to.include(
          `Plugin '${dependent}' needs '${plugin.name}' above it in app/plugins.ts.`,
        )
      })
    }

    const needed = declared.filter((resource) => needsOf(resource).includes(plugin.name))
    for (const { file, resource } of needed) {
      it(`the application does not start while ${file} declares what only it understands`, async () => {
        const faults = await refusal({ disabled: removed })
        expect(faults).to.have.length(needed.length)
        expect(faults.join()).to.match(
          new RegExp(
            `${resource.declaration.type}\\.\\w+ \\(${file}\\): needs the plugin '${plugin.name}', which is off`,
          ),
        )
      })
    }

    for (const [way, options] of Object.entries(ways)) {
      describe(way, () => {
        let running: TestApp
        before(async () => {
          running = await startApp({ ...options(removed), resources: withoutNeedOf(removed) })
        })
        after(() => running.close())

        for (const family of Object.keys(plugin.parameters ?? {})) {
          it(`the query parameter ${family} is unknown`, async () => {
            const { status, body } = await running.client.get(`/albums?${family}=title`)
            expect(status).to.equal(400)
            expect(body.errors).to.have.length(1)
            expect(body.errors[0]).to.include({ code: 'QUERY_PARAM_UNRECOGNIZED' })
            expect(body.errors[0].source).to.deep.equal({ parameter: family })
          })
        }

        if (plugin.routes) {
          it('its URLs are plain 404s', async () => {
            for (const [method, path] of routesOf(plugin, running)) {
              const { status, body } = await running.client.send(method, path, { body: {} })
              expect(status, path).to.equal(404)
              expect(body, path).to.equal(null)
            }
          })
        }

        it('its profiles, extensions and errors are gone', () => {
          const { app } = running
          expect(app.plugins.map(({ name }) => name)).not.to.include(plugin.name)
          for (const profile of plugin.profiles ?? []) expect(app.profiles).not.to.include(profile)
          for (const extension of plugin.extensions ?? []) {
            expect(app.plugins.flatMap(({ extensions }) => extensions ?? [])).not.to.include(extension)
          }
          const codes = app.errors.map(({ code }) => code)
          for (const { code } of plugin.errors ?? []) expect(codes).not.to.include(code)
        })

        it('its words are accepted, and no other word loses its meaning', () => {
          const words = plugins.filter(({ name }) => removed.includes(name)).flatMap(wordsOf)
          for (const word of inertWords(running)) expect(words).to.include(word)
        })

        it('everything else answers: list, show, create, update and delete of albums, artists and tracks', async () => {
          await useThreeTypes(running.client)
        })
      })
    }
  })
}

describe('what is declared for a plugin that is off', () => {
  let running: TestApp | null = null
  afterEach(async () => {
    await running?.close()
    running = null
  })
  const start = async (options: TestAppOptions) => {
    running = await startApp(options)
    return running.client
  }
  const artists = (declaration: Partial<Parameters<typeof defineResource<Artist>>[1]> = {}) => [
    {
      file: 'resources/artists/resource.ts',
      resource: defineResource(Artist, {
        type: 'artists',
        fields: ({ id, string }) => [
          id(),
          string('name').required().maxLength(10),
          string('slug'),
          string('bio').sparseByDefault(),
        ],
        ...declaration,
      }),
    },
  ]

  it('hides no attribute: sparse-fieldsets', async () => {
    const client = await start({ disabled: withDependents('sparse-fieldsets'), resources: artists() })
    const { body } = await client.get('/artists/1')
    expect(body.data.attributes).to.have.property('bio')
  })

  it('includes nothing: includes', async () => {
    const client = await start({ disabled: withDependents('includes') })
    const { body } = await client.get('/albums')
    expect(body).not.to.have.property('included')
  })

  it('orders nothing: sorting', async () => {
    const resources = artists({ defaultSort: ['-slug'], sorts: { slug: 'slug' } })
    const ids = async (client: Client) => (await client.get('/artists')).body.data.map(({ id }: { id: string }) => id)
    expect(await ids(await start({ disabled: withDependents('sorting'), resources }))).to.deep.equal(['1', '2'])
    await running?.close()
    expect(
      await ids(await start({ resources: artists({ defaultSort: ['slug'], sorts: { slug: 'slug' } }) })),
    ).to.deep.equal(['2', '1'])
  })

  it('divides nothing into pages: pagination', async () => {
    const client = await start({ disabled: withDependents('pagination') })
    const { body } = await client.get('/albums/1/tracks?filter[explicit]=')
    expect(body.data).to.have.length(3)
    expect(body.meta).to.deep.equal({ total: 3 })
  })

  it('pages by number where a cursor is declared: cursor-profile', async () => {
    running = await startLibrary({ disabled: withDependents('cursor-profile') })
    const { body, headers } = await running.client.get('/books?page[after]=garbage')
    expect(headers.get('content-type')).to.equal('application/vnd.api+json')
    expect(body.meta.page).to.have.property('currentPage', 1)
  })

  it('demands nothing of a value: validation', async () => {
    const client = await start({ disabled: withDependents('validation'), resources: artists() })
    const attributes = { name: 'Longer than ten characters', slug: 'longer' }
    const { status } = await client.post('/artists', { data: { type: 'artists', attributes } })
    expect(status).to.equal(201)
  })

  it('still answers with documents: error-mapping', async () => {
    const client = await start({ disabled: ['error-mapping'] })
    expect((await client.get('/albums/99')).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    const { status, body, headers } = await client.send('PUT', '/albums/1')
    expect(status).to.equal(405)
    expect(body.errors).to.deep.equal([{ status: '405' }])
    expect(headers.get('allow')).to.equal('GET, HEAD, PATCH, DELETE, OPTIONS')
  })
})

describe('a copy of the project', function () {
  this.timeout(60_000)
  let copy: string
  beforeEach(() => {
    copy = copyProject()
  })
  afterEach(() => rmSync(copy, { recursive: true }))

  it('compiles and serves without the folders, the lines and the words of atomic and cursor-profile', async () => {
    for (const name of ['atomic', 'cursor-profile'].flatMap(withDependents)) deletePlugin(copy, name)
    const [errors, answers] = await Promise.all([compile(copy), ask(copy, 'GET /albums', 'POST /operations {}')])
    expect(errors).to.deep.equal([])
    expect(answers[0]?.document.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1', '2'])
    expect(answers[1]).to.include({ status: 404, document: null })
  })

  it('names, when pagination is deleted, the resource lines that still speak of it, and nothing else', async () => {
    const [pagination = '', ...others] = withDependents('pagination')
    for (const other of others) deletePlugin(copy, other)
    deletePlugin(copy, pagination, { keepWords: true })
    const places = (await compile(copy)).map((error) => error.replace(/\(.*/, ''))
    expect(places).to.include('resources/albums/resource.ts')
    expect(places.filter((place) => !/^resources\/[^/]+\/resource\.ts$/.test(place))).to.deep.equal([])
  })

  it('serves other resources when all that it came with are deleted', async () => {
    rmSync(join(copy, 'resources'), { recursive: true })
    addFolder(copy, 'venues', venues)
    addFolder(copy, 'halls', halls)
    const venue = { type: 'venues', attributes: { name: 'Paradiso' } }
    const hall = {
      type: 'halls',
      attributes: { seats: 1500 },
      relationships: { venue: { data: { type: 'venues', id: '1' } } },
    }
    const [errors, answers] = await Promise.all([
      compile(copy),
      ask(
        copy,
        `POST /venues ${JSON.stringify({ data: venue })}`,
        `POST /halls ${JSON.stringify({ data: hall })}`,
        'GET /venues?include=halls&sort=-name',
        'GET /albums',
      ),
    ])
    expect(errors).to.deep.equal([])
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 200, 404])
    expect(answers[2]?.document.data[0].attributes).to.deep.equal({ name: 'Paradiso' })
    expect(answers[2]?.document.included[0].attributes).to.deep.equal({ seats: 1500 })
  })

  it('starts with what is left when a resource is deleted with the lines that name it', async () => {
    rmSync(join(copy, 'resources'), { recursive: true })
    addFolder(copy, 'venues', venues)
    deleteLines(copy, 'resources/venues/entity.ts', /halls/)
    deleteLines(copy, 'resources/venues/resource.ts', /halls/)
    const [errors, { stdout }] = await Promise.all([compile(copy), run(copy, [join(copy, 'scripts/routes.ts')])])
    expect(errors).to.deep.equal([])
    expect(stdout).to.include('jsonapi.venues.index').and.not.to.include('halls')
  })
})

/** A resource is a folder: an entity, a declaration and a migration. */
const venues = {
  'entity.ts': `import { defineEntity, p } from '@mikro-orm/core'
import { Hall } from '#resources/halls/entity.ts'

const schema = defineEntity({
  name: 'Venue',
  tableName: 'venues',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    halls: () => p.oneToMany(Hall).mappedBy('venue'),
  },
})

export class Venue extends schema.class {}

schema.setClass(Venue)
`,
  'resource.ts': `import { defineResource } from '#kernel'
import { Venue } from './entity.ts'

export default defineResource(Venue, {
  type: 'venues',
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').required().sortable(),
    hasMany('halls', 'halls'),
  ],
})
`,
  'migrations/20260101000000_venues.ts': `import { Migration } from '@mikro-orm/migrations'

export class CreateVenues extends Migration {
  override up(): void {
    this.addSql('create table "venues" ("id" serial primary key, "name" text not null)')
  }
}
`,
}

const halls = {
  'entity.ts': `import { defineEntity, p } from '@mikro-orm/core'
import { Venue } from '#resources/venues/entity.ts'

const schema = defineEntity({
  name: 'Hall',
  tableName: 'halls',
  properties: {
    id: p.integer().primary(),
    seats: p.integer(),
    venue: () => p.manyToOne(Venue).ref(),
  },
})

export class Hall extends schema.class {}

schema.setClass(Hall)
`,
  'resource.ts': `import { defineResource } from '#kernel'
import { Hall } from './entity.ts'

export default defineResource(Hall, {
  type: 'halls',
  fields: ({ id, integer, belongsTo }) => [id(), integer('seats').min(1), belongsTo('venue', 'venues')],
})
`,
  'migrations/20260101000001_halls.ts': `import { Migration } from '@mikro-orm/migrations'

export class CreateHalls extends Migration {
  override up(): void {
    this.addSql(
      'create table "halls" ("id" serial primary key, "seats" int not null, "venue_id" int not null references "venues" ("id"))',
    )
  }
}
`,
}

/** The plugin, and all that cannot be without it. */
function withDependents(name: string): string[] {
  const dependents = plugins.filter(({ requires }) => requires?.includes(name))
  return [...new Set([name, ...dependents.flatMap((dependent) => withDependents(dependent.name))])]
}

/** The sentences with which the application refuses to start. */
async function refusal(options: TestAppOptions): Promise<string[]> {
  const error = await buildApp(options).then(
    () => new Error('It started.'),
    (error: Error) => error,
  )
  expect(error).to.be.instanceOf(BootError)
  return error.message.split('\n')
}

/** The plugins without which a declared value would be ignored. */
function needsOf({ resource }: DeclaredResource): string[] {
  return Object.values(resource.declaration).flatMap(
    (value) => (value as Partial<NeedsPlugin> | null)?.needsPlugin ?? [],
  )
}

/** The catalogue without the declared values that only these plugins understand. */
function withoutNeedOf(names: readonly string[]): DeclaredResource[] {
  return declared.map(({ file, resource }) => {
    const kept = Object.entries(resource.declaration).filter(
      ([, value]) => !names.includes((value as Partial<NeedsPlugin> | null)?.needsPlugin ?? ''),
    )
    return { file, resource: { ...resource, declaration: Object.fromEntries(kept) as typeof resource.declaration } }
  })
}

function routesOf(plugin: Plugin, { app }: TestApp): (readonly [method: string, path: string])[] {
  return app.servers.flatMap((server) =>
    (plugin.routes?.(server) ?? []).flatMap(({ methods, path }) =>
      methods.map((method) => [method, server.prefix + path] as const),
    ),
  )
}

function wordsOf({ modifiers = {} }: Plugin): string[] {
  return [...Object.keys(modifiers.attribute ?? {}), ...Object.keys(modifiers.relation ?? {})]
}

function inertWords({ app }: TestApp): string[] {
  const fields = [...app.registry.types.values()].flatMap(({ attributes, relations }) => [...attributes, ...relations])
  const inert = (field: Field): string[] => {
    if (field.role === 'id') return []
    return [...field.inertWords, ...(field.role === 'attribute' ? field.children.flatMap(inert) : [])]
  }
  return fields.flatMap(inert)
}

async function useThreeTypes(client: Client): Promise<void> {
  for (const [type, attributes] of Object.entries({
    artists: { name: 'Massive Attack', slug: 'massive-attack' },
    albums: { title: 'Mezzanine' },
    tracks: { title: 'Angel' },
  })) {
    const list = await client.get(`/${type}`)
    expect(list.status, `GET /${type}`).to.equal(200)
    expect(list.body.data, `GET /${type}`).not.to.be.empty
    expect((await client.get(`/${type}/1`)).status, `GET /${type}/1`).to.equal(200)
    const created = await client.post(`/${type}`, { data: { type, attributes } })
    expect(created.status, `POST /${type}`).to.equal(201)
    const { id } = created.body.data
    const changed = await client.patch(`/${type}/${id}`, { data: { type, id, attributes } })
    expect(changed.status, `PATCH /${type}/${id}`).to.equal(200)
    expect((await client.delete(`/${type}/${id}`)).status, `DELETE /${type}/${id}`).to.equal(204)
    expect((await client.get(`/${type}/${id}`)).status, `GET /${type}/${id}`).to.equal(404)
  }
}

/** The sources without the tests, beside the packages of the project. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'copy-'))
  for (const part of ['app', 'plugins', 'resources', 'scripts', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  }
  cpSync(join(root, 'test/ground/fixtures/smoke.ts'), join(copy, 'smoke.ts'))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** With its line in the list and, unless they are to be kept, the lines of resources that speak of it. */
function deletePlugin(copy: string, name: string, { keepWords = false } = {}): void {
  rmSync(join(copy, 'plugins', name), { recursive: true })
  for (const file of ['app/plugins.ts', ...(keepWords ? [] : resourceFilesIn(copy))]) {
    const source = readFileSync(join(copy, file), 'utf8')
    const [, names] = new RegExp(`import \\{ (.+) \\} from '#plugins/${name}/`).exec(source) ?? []
    if (names) deleteLines(copy, file, new RegExp(`\\b(${names.replaceAll(', ', '|')})\\b`))
  }
}

function deleteLines(copy: string, file: string, matching: RegExp): void {
  const lines = readFileSync(join(copy, file), 'utf8').split('\n')
  const kept = lines.filter((line) => !matching.test(line))
  expect(kept.length, file).to.be.below(lines.length)
  writeFileSync(join(copy, file), kept.join('\n'))
}

function addFolder(copy: string, type: string, files: Readonly<Record<string, string>>): void {
  const folder = join(copy, 'resources', type)
  mkdirSync(join(folder, 'migrations'), { recursive: true })
  for (const [file, source] of Object.entries(files)) writeFileSync(join(folder, file), source)
}

function resourceFilesIn(copy: string): string[] {
  const entries = readdirSync(join(copy, 'resources'), { recursive: true, encoding: 'utf8' })
  return entries.filter((file) => file.endsWith('.ts')).map((file) => join('resources', file))
}

/** The errors of the compiler, one a line. */
async function compile(copy: string): Promise<string[]> {
  const { stdout } = await run(copy, [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'])
  return stdout.split('\n').filter((line) => /^\S/.test(line))
}

interface Asked {
  readonly request: string
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
  readonly document: any
}

/** Starts the copy and asks it. */
async function ask(copy: string, ...requests: readonly string[]): Promise<Asked[]> {
  const { stdout, stderr } = await run(copy, [join(copy, 'smoke.ts'), ...requests])
  expect(stderr).to.equal('')
  return JSON.parse(stdout)
}

function run(copy: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH }
  return promisify(execFile)(process.execPath, args, { cwd: copy, env }).catch((failed) => failed)
}
