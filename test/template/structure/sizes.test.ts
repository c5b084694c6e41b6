import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'

// Limits that keep every file and folder readable at once.

/** Files that are one long list. */
const lists = [
  'app/kernel/errors/core-errors.ts',
  'plugins/error-mapping/messages/jsonapi_errors.de.ts',
  'plugins/error-mapping/messages/phrases.de.ts',
]
/** The types that all layers of the kernel share, and a file per command. */
const largeFolders = ['app/kernel/model', 'scripts', 'scripts/support']

const sources = globSync('{app,plugins,scripts}/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && isShipped(file),
)

describe('Size of sources', () => {
  it('is at most 250 lines for every file that is not a list', () => {
    const long = sources.flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
      return lines > 250 && !lists.includes(file) ? [`${file}: ${lines}`] : []
    })
    expect(long).to.deep.equal([])
  })

  it('is at most 15 files for every folder but the model of the kernel and the commands', () => {
    const folders = Map.groupBy(sources, dirname)
    const large = [...folders].filter(([folder, files]) => files.length > 15 && !largeFolders.includes(folder))
    expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([])
  })
})
