import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'
import * as discovery from '#app/discovery/discovery.ts'
import { Album } from '#resources/albums/entity.ts'

const { discover, loadDeclarations, loadEntities, loadMigrations, loadSeeds } = discovery

describe('discovery', () => {
  let root: string
  before(() => {
    root = mkdtempSync(join(realpathSync(tmpdir()), 'discovery-'))
  })
  const path = (...parts: string[]) => join(root, 'resources', ...parts)
  afterEach(() => rmSync(path(), { recursive: true, force: true }))
  after(() => rmSync(root, { recursive: true }))

  function write(file: string, source = ''): void {
    mkdirSync(dirname(path(file)), { recursive: true })
    writeFileSync(path(file), source)
  }

  it('finds the resource folders in the order of their names, with their files', async () => {
    write('songs/resource.ts')
    write('bands/resource.ts')
    write('bands/entity.ts')
    write('bands/seed.ts')
    write('bands/migrations/2_more.ts')
    write('bands/migrations/1_bands.ts')
    write('bands/actions/split.ts')
    write('bands/actions/split.test.ts')
    write('README.md')
    const { folders, faults } = await discover(root)
    expect(faults).to.deep.equal([])
    expect(folders).to.deep.equal([
      {
        name: 'bands',
        resource: path('bands/resource.ts'),
        entity: path('bands/entity.ts'),
        seed: path('bands/seed.ts'),
        migrations: [path('bands/migrations/1_bands.ts'), path('bands/migrations/2_more.ts')],
        actions: [path('bands/actions/split.ts')],
      },
      { name: 'songs', resource: path('songs/resource.ts'), entity: null, seed: null, migrations: [], actions: [] },
    ])
  })

  it('accepts a project without resources', async () => {
    expect(await discover(root)).to.deep.include({ folders: [], faults: [] })
  })

  it('reports a folder without a resource and migrations with the same name', async () => {
    write('bands/entity.ts')
    write('songs/resource.ts')
    write('songs/migrations/1_first.ts')
    write('users/resource.ts')
    write('users/migrations/1_first.ts')
    const { folders, faults } = await discover(root)
    expect(folders.map(({ name }) => name)).to.deep.equal(['songs', 'users'])
    expect(faults).to.deep.equal([
      'resources/bands has no resource.ts; add one, remove the folder, or move shared code to resources/shared.',
      'Two migrations are called 1_first.ts; rename one of them.',
    ])
  })

  it('accepts files and a folder of shared code beside the folders, and reports a declaration in it', async () => {
    write('bands/resource.ts')
    write('shared/is-agent.ts')
    write('names.ts')
    const { folders, faults } = await discover(root)
    expect(folders.map(({ name }) => name)).to.deep.equal(['bands'])
    expect(faults).to.deep.equal([])
    write('shared/resource.ts')
    expect((await discover(root)).faults).to.deep.equal([
      'resources/shared/resource.ts declares a type in the folder for shared code; rename the folder.',
    ])
  })

  it('finds the resource folders of several paths, and reports a path that does not exist', async () => {
    write('bands/resource.ts')
    write('../modules/billing/invoices/resource.ts')
    const { folders, faults } = await discover(root, ['resources', 'modules/billing', 'modules/other'])
    expect(folders.map(({ resource }) => resource)).to.deep.equal([
      path('bands/resource.ts'),
      join(root, 'modules/billing/invoices/resource.ts'),
    ])
    expect(faults).to.deep.equal(["RESOURCE_PATHS names 'modules/other', which is not a folder of the project."])
  })

  it('loads declarations, seeds and migrations, and orders migrations over all folders', async () => {
    const migration = 'export class Change { up() {} }'
    write('bands/resource.ts', `export default { type: 'bands' }`)
    write('bands/seed.ts', 'export default { run() {} }')
    write('bands/actions/split.ts', `export default { answers: 'meta' }`)
    write('bands/migrations/2_bands.ts', migration)
    write('songs/resource.ts', `export default { type: 'songs' }`)
    write('songs/migrations/1_songs.ts', migration)
    const found = await discover(root)
    expect(await loadDeclarations(found)).to.deep.equal([
      {
        file: path('bands/resource.ts'),
        declaration: { type: 'bands' },
        actions: new Map([['split', { answers: 'meta' }]]),
      },
      { file: path('songs/resource.ts'), declaration: { type: 'songs' }, actions: new Map() },
    ])
    expect((await loadSeeds(found)).map(({ name }) => name)).to.deep.equal(['bands'])
    expect((await loadMigrations(found)).map(({ name }) => name)).to.deep.equal(['1_songs', '2_bands'])
  })

  it('loads every entity of the project once', async () => {
    const entities = await loadEntities(await discover(resolve(import.meta.dirname, '../../..')))
    expect(entities).to.include(Album)
    expect(new Set(entities).size).to.equal(entities.length)
    expect(entities.every((entity) => typeof entity === 'function')).to.equal(true)
  })

  it('throws an error that names the file without the expected export', async () => {
    write('empty/resource.ts', 'export const other = 1')
    write('empty/entity.ts', 'export class Plain {}')
    write('empty/migrations/1_empty.ts', 'export const other = 1')
    const found = await discover(root)
    expect(await failure(loadDeclarations(found))).to.contain(`${path('empty/resource.ts')} does not export`)
    expect(await failure(loadEntities(found))).to.contain(`${path('empty/entity.ts')} does not export`)
    expect(await failure(loadMigrations(found))).to.contain(`${path('empty/migrations/1_empty.ts')} does not export`)
  })
})

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: Error) => error.message,
  )
}
