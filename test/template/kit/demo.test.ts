import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { demoParts } from '../../../scripts/init/parts.ts'
import { readImports, withImporters } from '../../../scripts/support/imports.ts'

describe('Demo', () => {
  it('is imported by every test that requests its types, so that npm run init removes the test, too', () => {
    const imports = readImports()
    const removed = withImporters(demoParts, imports)
    const requestsDemo = /['"`](?:[A-Z]+ )?(?:\/admin)?\/(?:albums|artists|tracks|playlists|users|genres)\b/
    const kept = [...imports.keys()].filter(
      (file) => /^(?:test|plugins)\/.*\.test\.ts$/.test(file) && !removed.has(file),
    )
    expect(kept.filter((file) => requestsDemo.test(readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })

  it('is not imported by npm run update, so that npm run init keeps the command', () => {
    const removed = withImporters(demoParts, readImports())
    expect(
      [...removed].filter((file) => /^(?:scripts\/(?:update|manifest)|test\/template\/update)\//.test(file)),
    ).to.deep.equal([])
  })
})
