import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from './support/app.ts'
import { catalogue } from './support/catalogue.ts'
import { readGuides } from './support/guides.ts'

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
    expect(testFiles).to.include('test/endurance/cluster.test.ts')
    expect(testFiles.filter((file) => !existsSync(join(root, file)))).to.deep.equal([])
  })

  for (const { file, exchanges } of readGuides()) {
    if (exchanges.length === 0) continue
    it(`contain in ${file} the responses that the catalogue returns`, async () => {
      const { client } = await catalogue()
      for (const { method, path, headers, body, status, response: expected } of exchanges) {
        const sent = { headers: { ...headers }, ...(body !== undefined && { body }) }
        const response = await client.send(method, path, sent)
        expect(response.status, `${method} ${path}: ${response.text}`).to.equal(status)
        expectPart(response.body, withUrl(expected, client.url), `${method} ${path}`)
      }
    })
  }
})

/** Replaces the address of the guides by that of the test. */
function withUrl(response: unknown, url: string): unknown {
  return JSON.parse(JSON.stringify(response).replaceAll('http://127.0.0.1:3000', url))
}

/** Asserts that lists have these items and objects have these members. */
function expectPart(actual: unknown, part: unknown, location: string): void {
  if (typeof part !== 'object' || part === null) {
    expect(actual, location).to.equal(part)
    return
  }
  if (Array.isArray(part)) expect(actual, location).to.be.an('array').with.length(part.length)
  for (const [name, value] of Object.entries(part)) {
    expectPart((actual as Record<string, unknown> | undefined)?.[name], value, `${location} ${name}`)
  }
}
