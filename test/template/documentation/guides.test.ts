import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { expectExchange, readGuides } from '#test/template/support/guides.ts'

// Sends every request of the guides to the catalogue, in the order of the text.

describe('Guides', () => {
  it('contain only complete modules, which are compiled, and parts of files', () => {
    const incomplete = readGuides().flatMap(({ file, text }) =>
      [...text.matchAll(/(.*)\n *```ts\n(.*)/g)].flatMap(([, above = '', line = '']) =>
        above.includes('<!-- part of ') || line.startsWith('import ') ? [] : [`${file}: ${line}`],
      ),
    )
    expect(incomplete).to.deep.equal([])
  })

  it('name existing test files', () => {
    const testFiles = readGuides().flatMap(
      ({ text }) => text.match(/(?<=`)(?:test|plugins)\/\S+\.test\.ts(?=`)/g) ?? [],
    )
    expect(testFiles).to.include('test/template/proofs/endurance/cluster.test.ts')
    expect(testFiles.filter((file) => !existsSync(join(root, file)))).to.deep.equal([])
  })

  for (const { file, exchanges } of readGuides()) {
    if (exchanges.length === 0) continue
    it(`contain in ${file} the responses that the catalogue returns`, async () => {
      const { client } = await catalogue()
      for (const exchange of exchanges) await expectExchange(client, exchange)
    })
  }
})
