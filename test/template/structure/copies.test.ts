import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { publicAlbums } from '#test/support/catalogue.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { compile, copyProject, run } from '#test/template/support/project-copy.ts'
import { isShipped } from '#test/template/support/shipped.ts'

// Deletes plugins and resources from a copy of the project, then compiles and starts the copy.

describe('The project', function () {
  this.timeout(300_000)
  let copy: string
  beforeEach(() => {
    copy = copyWithoutTests()
  })
  afterEach(() => rmSync(copy, { recursive: true }))

  it('compiles and serves after atomic and cursor-profile are deleted', async () => {
    for (const name of ['atomic', 'cursor-profile'].flatMap(withDependents)) deletePlugin(copy, name)
    const [errors, responses] = await Promise.all([compile(copy), send(copy, 'GET /albums', 'POST /operations {}')])
    expect(errors.map(faultyFile).filter(isShipped)).to.deep.equal([])
    expect(responses[0]?.document.data.map(({ id }: { id: string }) => id)).to.include.members(publicAlbums)
    expect(responses[1]).to.include({ status: 404, document: null })
  })

  for (const plugin of ['pagination', 'openapi']) {
    it(`has compiler errors only in files of the project that use ${plugin} after it is deleted`, async () => {
      const dependents = withDependents(plugin).filter((name) => name !== plugin)
      for (const dependent of dependents) deletePlugin(copy, dependent)
      deletePlugin(copy, plugin, { keepUses: true })
      const files = (await compile(copy)).map(faultyFile)
      expect(files).to.include('resources/albums/resource.ts')
      expect(files.filter(isShipped)).to.deep.equal([])
    })
  }

  it('serves other resources after all demo resources are deleted', async () => {
    deleteResources(copy)
    addFolder(copy, 'venues', venues)
    addFolder(copy, 'halls', halls)
    const venue = { type: 'venues', attributes: { name: 'Paradiso' } }
    const hall = {
      type: 'halls',
      attributes: { seats: 1500 },
      relationships: { venue: { data: { type: 'venues', id: '1' } } },
    }
    const [errors, responses] = await Promise.all([
      compile(copy),
      send(
        copy,
        `POST /venues ${JSON.stringify({ data: venue })}`,
        `POST /halls ${JSON.stringify({ data: hall })}`,
        'GET /venues?include=halls&sort=-name',
        'GET /albums',
      ),
    ])
    expect(errors).to.deep.equal([])
    expect(responses.map(({ status }) => status)).to.deep.equal([201, 201, 200, 404])
    expect(responses[2]?.document.data[0].attributes).to.deep.equal({ name: 'Paradiso' })
    expect(responses[2]?.document.included[0].attributes).to.deep.equal({ seats: 1500 })
  })

  it('starts after a resource and the lines that name it are deleted', async () => {
    deleteResources(copy)
    addFolder(copy, 'venues', venues)
    deleteLines(copy, 'resources/venues/entity.ts', /halls/)
    deleteLines(copy, 'resources/venues/resource.ts', /halls/)
    const [errors, { stdout }] = await Promise.all([compile(copy), run(copy, [join(copy, 'scripts/routes.ts')])])
    expect(errors).to.deep.equal([])
    expect(stdout).to.include('jsonapi.venues.index').and.not.to.include('halls')
  })
})

/** The files of a resource folder: an entity, a declaration and a migration. */
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

function copyWithoutTests(): string {
  const copy = copyProject(['app', 'plugins', 'resources', 'scripts', 'package.json', 'tsconfig.json'], isNotTest)
  cpSync(join(root, 'test/template/process/fixtures/smoke.ts'), join(copy, 'smoke.ts'))
  return copy
}

/** Also leaves out scripts/template, which has resources of its own. */
function isNotTest(file: string): boolean {
  return !/(?:\.test|\/factory)\.ts$|\/scripts\/template$/.test(file)
}

/** Deletes all resources, and the plugins that the template does not ship, which may use them. */
function deleteResources(copy: string): void {
  rmSync(join(copy, 'resources'), { recursive: true })
  for (const name of readdirSync(join(copy, 'plugins'))) {
    if (!isShipped(`plugins/${name}/index.ts`)) deletePlugin(copy, name, { keepUses: true })
  }
}

/** The file of a compiler error. */
function faultyFile(error: string): string {
  return error.replace(/\(.*/, '')
}

/** Deletes the folder of a plugin, its lines in the list and, unless `keepUses` is set, the resource lines that use it. */
function deletePlugin(copy: string, name: string, { keepUses = false } = {}): void {
  rmSync(join(copy, 'plugins', name), { recursive: true })
  deleteCallOverSeveralLines(copy, name)
  for (const file of ['app/plugins.ts', ...(keepUses ? [] : resourceFilesIn(copy))]) {
    const source = readFileSync(join(copy, file), 'utf8')
    const [, names] = new RegExp(`import \\{ (.+) \\} from '#plugins/${name}/`).exec(source) ?? []
    if (names) deleteLines(copy, file, new RegExp(`\\b(${names.replaceAll(', ', '|')})\\b`))
  }
}

function deleteCallOverSeveralLines(copy: string, name: string): void {
  const file = join(copy, 'app/plugins.ts')
  const call = new RegExp(`^  ${name}\\(\\{\\n(?: {4}.*\\n)+  \\}\\),\\n`, 'm')
  writeFileSync(file, readFileSync(file, 'utf8').replace(call, ''))
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

interface SmokeResponse {
  readonly request: string
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: documents are untyped JSON
  readonly document: any
}

/** Starts the copy and sends the requests. */
async function send(copy: string, ...requests: readonly string[]): Promise<SmokeResponse[]> {
  const { stdout, stderr } = await run(copy, [join(copy, 'smoke.ts'), ...requests])
  expect(stderr).to.equal('')
  return JSON.parse(stdout)
}
