import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { readGuides } from '#test/support/guides.ts'
import { copyProject, run } from '#test/support/project-copy.ts'

// Whole modules that guides show, and the words in their tables, are compiled over the entities of test/types.

/** Guides whose tables begin with words of declarations. */
const declaring = ['resources.md', 'relations.md', 'filters-and-sorts.md', 'pagination.md', 'includes.md']

describe('The guides', () => {
  it('show code that compiles', async () => {
    const sources = new Map([['wrong.ts', toModule([`string('title').shiny()`])]])
    for (const { file, modules, cells } of readGuides()) {
      const name = file.replace('.md', '')
      for (const [index, code] of modules.entries()) sources.set(`${name}-${index}.ts`, overSongs(code))
      const words = cells.filter((cell) => /^\w+[(:]/.test(cell))
      if (declaring.includes(file)) sources.set(`${name}-words.ts`, toModule(words))
    }
    expect([...sources.keys()]).to.include.members(['resources-words.ts', 'pagination-0.ts', 'testing-0.ts'])
    const errors = await errorsIn(sources)
    expect(errors.filter((line) => line.startsWith('shown/wrong.ts'))).to.have.length(1)
    expect(errors.filter((line) => !line.startsWith('shown/wrong.ts'))).to.deep.equal([])
  }).timeout(120_000)
})

function overSongs(code: string): string {
  return code.replaceAll(`'./entity.ts'`, `'#test/types/entities.ts'`)
}

const fieldWords = `id, string, email, url, uuid, slug, ip, integer, decimal, boolean, dateTime, date, time, arrayList,
  arrayHash, obj, oneOf, map, belongsTo, hasOne, hasMany, belongsToMany, morphToMany`
const filterWords = `where, whereIn, whereNotIn, whereIdIn, whereIdNotIn, whereNull, whereNotNull, whereHas,
  whereDoesntHave, whereThrough, whereHasMatching, contains, startsWith, endsWith, numeric, boolean, greaterThan,
  greaterThanOrEqual, lessThan, lessThanOrEqual, range, dateRange, whereAll, whereAny, custom`
const isFilter = /^(where\w*|contains|startsWith|endsWith|\w+Than\w*|range|dateRange|custom|numeric)\(|\.default\(/

/** Each cell in a declaration of its own, so that one that is wrong is told by its line. */
function toModule(cells: readonly string[]): string {
  return [
    `import Joi from 'joi'`,
    `import { compare, defineResource } from '#kernel'`,
    `import { cursor } from '#plugins/cursor-profile/index.ts'`,
    `import type { DeclaredFilter, FilterBuilders } from '#plugins/filtering/index.ts'`,
    `import { fixedPage, menu, offset, page } from '#plugins/pagination/index.ts'`,
    `import { Link, Membership, Song } from '#test/types/entities.ts'`,
    'const filters = (declare: (words: FilterBuilders<Song>) => readonly DeclaredFilter[]) => declare',
    ...cells.map(toStatement),
    'export { compare, cursor, filters, fixedPage, Joi, Link, Membership, menu, offset, page }',
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
  if (isFilter.test(cell)) return `filters(({ ${filterWords} }) => [${cell}])`
  const fields = cell.startsWith('id()') ? cell : `id(), ${cell}`
  return declaration(`type: 'songs',`, `fields: ({ ${fieldWords} }) => [${fields}]`)
}

function declaration(...members: readonly string[]): string {
  return `defineResource(Song, { ${members.join(' ')} })`
}

async function errorsIn(sources: ReadonlyMap<string, string>): Promise<string[]> {
  const directory = copyProject(['tsconfig.json'])
  try {
    for (const name of ['app', 'plugins', 'resources', 'test', 'package.json']) {
      symlinkSync(join(root, name), join(directory, name))
    }
    mkdirSync(join(directory, 'shown'))
    for (const [file, source] of sources) writeFileSync(join(directory, 'shown', file), source)
    const config = { extends: './tsconfig.json', include: ['shown'], files: ['app/plugins.ts'] }
    writeFileSync(join(directory, 'tsconfig.shown.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(directory, [compiler, '-p', 'tsconfig.shown.json', '--pretty', 'false'])
    return stdout.split('\n').filter((line) => line.startsWith('shown/'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}
