import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readImports, withImporters } from '../scripts/demo/imports.ts'
import { demoParts } from '../scripts/demo/parts.ts'
import { root } from './support/app.ts'

describe('the demo', () => {
  it('is imported by every test that asks for it: what imports it goes with it', () => {
    const imports = readImports()
    const gone = withImporters(demoParts, imports)
    const asks = /['"`](?:[A-Z]+ )?(?:\/admin)?\/(?:albums|artists|tracks|playlists|users|genres)\b/
    const left = [...imports.keys()].filter((file) => /^(?:test|plugins)\/.*\.test\.ts$/.test(file) && !gone.has(file))
    expect(left.filter((file) => asks.test(readFileSync(join(root, file), 'utf8')))).to.deep.equal([])
  })
})
