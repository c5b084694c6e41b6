import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from './support/app.ts'
import { catalogue } from './support/catalogue.ts'
import { readGuides } from './support/guides.ts'

// Every request that a guide shows is sent to the catalogue, in the order in which they stand.

describe('The guides', () => {
  it('show no code but whole modules, which are compiled, and parts of files', () => {
    const loose = readGuides().flatMap(({ file, text }) =>
      [...text.matchAll(/(.*)\n *```ts\n(.*)/g)].flatMap(([, above = '', line = '']) =>
        above.includes('<!-- part of ') || line.startsWith('import ') ? [] : [`${file}: ${line}`],
      ),
    )
    expect(loose).to.deep.equal([])
  })

  it('name tests that are there', () => {
    const named = readGuides().flatMap(({ text }) => text.match(/(?<=`)(?:test|plugins)\/\S+\.test\.ts(?=`)/g) ?? [])
    expect(named).to.include('test/endurance/cluster.test.ts')
    expect(named.filter((file) => !existsSync(join(root, file)))).to.deep.equal([])
  })

  for (const { file, exchanges } of readGuides()) {
    if (exchanges.length === 0) continue
    it(`tell what is answered: docs/${file}`, async () => {
      const { client } = await catalogue()
      for (const { method, path, headers, body, status, answer } of exchanges) {
        const sent = { headers: { ...headers }, ...(body !== undefined && { body }) }
        const got = await client.send(method, path, sent)
        expect(got.status, `${method} ${path}: ${got.text}`).to.equal(status)
        expectPart(got.body, answer, `${method} ${path}`)
      }
    })
  }
})

/** Lists have these items, objects these members. */
function expectPart(whole: unknown, part: unknown, where: string): void {
  if (typeof part !== 'object' || part === null) {
    expect(whole, where).to.equal(part)
    return
  }
  if (Array.isArray(part)) expect(whole, where).to.be.an('array').with.length(part.length)
  for (const [name, value] of Object.entries(part)) {
    expectPart((whole as Record<string, unknown> | undefined)?.[name], value, `${where} ${name}`)
  }
}
