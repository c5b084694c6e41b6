import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile, copyProject } from '#test/template/support/project-copy.ts'

// Renames an attribute in a copy of the project, then compiles the front ends of examples/.

describe('A renamed attribute', () => {
  let copy: string
  before(() => {
    const parts = ['app', 'clients', 'examples', 'plugins', 'resources', 'scripts', 'package.json', 'tsconfig.json']
    copy = copyProject(parts, (file) => !file.endsWith('.test.ts'))
  })
  after(() => rmSync(copy, { recursive: true }))

  it('is a compiler error at every use in the example front end and the recipes, and nowhere else', async () => {
    const file = join(copy, 'resources/albums/resource.ts')
    const source = readFileSync(file, 'utf8')
    const renamed = source.replace(`string('title')`, `string('name').storedAs('title')`)
    expect(renamed).not.to.equal(source)
    writeFileSync(file, renamed)
    const errors = await compile(copy, '-p', 'examples')
    const files = new Set(errors.map((error) => error.replace(/\(.*/, '')))
    expect([...files]).to.include.members([
      'examples/browser/src/album-fields.ts',
      'examples/browser/src/album-list.ts',
      'examples/browser/src/create-dialog.ts',
      'examples/browser/src/edit-dialog.ts',
      'examples/recipes/tanstack-query.ts',
    ])
    expect([...files].filter((name) => !name.startsWith('examples/'))).to.deep.equal([])
    expect(errors.join('\n')).to.include(`'title' does not exist in type`)
  }).timeout(300_000)
})
