import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { readGuides } from '#test/template/support/guides.ts'
import { compile, copyProject } from '#test/template/support/project-copy.ts'

// Compiles the complete modules of the guides, and the code in their tables, with the entities of test/template/types.

/** Guides with tables whose first column is code of declarations. */
const guidesWithTables = ['resources.md', 'relations.md', 'filters-and-sorts.md', 'pagination.md', 'includes.md']

/** Plugins that are not in the list; their guides use the keys and modifiers that they declare. */
const optionalPlugins = ['change-log', 'filter-expressions', 'history', 'live', 'webhooks']

describe('Guides in docs', () => {
  it('contain only code that compiles', async () => {
    const sources = new Map([
      ['wrong.ts', toModule([`string('title').shiny()`])],
      ['optional-plugins.ts', optionalPlugins.map((name) => `import '#plugins/${name}/index.ts'`).join('\n')],
    ])
    for (const { file, modules, cells } of readGuides()) {
      const name = file.replace('.md', '')
      for (const [index, code] of modules.entries()) sources.set(`${name}-${index}.ts`, withSongEntities(code))
      const declared = cells.filter((cell) => /^\w+[(:]/.test(cell))
      if (guidesWithTables.includes(file)) sources.set(`${name}-table.ts`, toModule(declared))
    }
    expect([...sources.keys()]).to.include.members(['resources-table.ts', 'pagination-0.ts', 'testing-0.ts'])
    const errors = await errorsIn(sources)
    expect(errors.filter((line) => line.startsWith('shown/wrong.ts'))).to.have.length(1)
    expect(errors.filter((line) => !line.startsWith('shown/wrong.ts'))).to.deep.equal([])
  }).timeout(300_000)
})

function withSongEntities(code: string): string {
  return code.replaceAll(`'./entity.ts'`, `'#test/template/types/entities.ts'`)
}

const fieldBuilders = `id, string, email, url, uuid, slug, ip, integer, decimal, boolean, dateTime, date, time, arrayList,
  arrayHash, obj, oneOf, map, belongsTo, hasOne, hasMany, belongsToMany, morphToMany`
const filterBuilders = `where, whereIn, whereNotIn, whereIdIn, whereIdNotIn, whereNull, whereNotNull, whereHas,
  whereDoesntHave, whereThrough, whereHasMatching, contains, startsWith, endsWith, numeric, boolean, greaterThan,
  greaterThanOrEqual, lessThan, lessThanOrEqual, range, dateRange, whereAll, whereAny, custom`
const isFilter = /^(where\w*|contains|startsWith|endsWith|\w+Than\w*|range|dateRange|custom|numeric)\(|\.default\(/

/** Writes each cell as a separate declaration, so that the line of a compiler error identifies the cell. */
function toModule(cells: readonly string[]): string {
  return [
    `import Joi from 'joi'`,
    `import { compare, defineError, defineResource } from '#kernel'`,
    `import type { DeclaredFilter, FilterBuilders } from '#plugins/filtering/index.ts'`,
    `import { cursor, fixedPage, menu, offset, page } from '#plugins/pagination/index.ts'`,
    `import { Link, Membership, Song } from '#test/template/types/entities.ts'`,
    `const songFull = defineError('SONG_FULL', 409, 'Song is full', 'It has {plays} plays.')`,
    'const filters = (declare: (words: FilterBuilders<Song>) => readonly DeclaredFilter[]) => declare',
    ...cells.map(toStatement),
    'export { compare, cursor, filters, fixedPage, Joi, Link, Membership, menu, offset, page, songFull }',
  ].join('\n')
}

function toStatement(cell: string): string {
  const [, key] = /^(\w+):/.exec(cell) ?? []
  if (key)
    return declaration(
      key === 'type' ? '' : `type: 'songs',`,
      key === 'fields' ? '' : 'fields: ({ id }) => [id()],',
      cell,
    )
  if (/^(page|offset|fixedPage|cursor|menu)\(/.test(cell)) return `void ${cell}`
  if (isFilter.test(cell)) return `filters(({ ${filterBuilders} }) => [${cell}])`
  const fields = cell.startsWith('id()') ? cell : `id(), ${cell}`
  return declaration(`type: 'songs',`, `fields: ({ ${fieldBuilders} }) => [${fields}]`)
}

function declaration(...members: readonly string[]): string {
  return `defineResource(Song, { ${members.join(' ')} })`
}

async function errorsIn(sources: ReadonlyMap<string, string>): Promise<string[]> {
  const directory = copyProject(['tsconfig.json'])
  try {
    for (const name of ['app', 'clients', 'plugins', 'resources', 'test', 'package.json']) {
      symlinkSync(join(root, name), join(directory, name))
    }
    mkdirSync(join(directory, 'shown'))
    for (const [file, source] of sources) writeFileSync(join(directory, 'shown', file), source)
    const config = {
      extends: './tsconfig.json',
      include: ['shown'],
      files: ['app/plugins.ts', 'app/store/kernel-types.ts'],
    }
    writeFileSync(join(directory, 'tsconfig.shown.json'), JSON.stringify(config))
    const errors = await compile(directory, '-p', 'tsconfig.shown.json')
    return errors.filter((line) => line.startsWith('shown/'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}
