import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { startApp } from '#test/support/catalogue.ts'
import { scopeSteps } from '#test/template/support/type-steps.ts'

describe('An asynchronous scope', () => {
  it('is applied when the hook returns a thenable of another library', async () => {
    const late: Plugin = {
      name: 'late',
      ...scopeSteps('addressed', () => {
        // biome-ignore lint/suspicious/noThenProperty: libraries have promises of their own
        const promise = { then: (resolve: (value: Condition) => void) => resolve(compare('id', '!=', 1)) }
        return promise as unknown as Promise<Condition>
      }, ['artists']),
    }
    const { client, close } = await startApp({ plugins: [...plugins, late] })
    for (const time of ['first', 'second']) {
      const { status, body } = await client.get('/artists')
      expect(status, time).to.equal(200)
      expect(body.data.map(({ id }: { id: string }) => id))
        .to.include('2')
        .and.not.to.include('1')
    }
    await close()
  })
})

describe('A scope of visible rows', () => {
  it('hides rows in collections, and not at their own URLs', async () => {
    const showing: Plugin = { name: 'showing', ...scopeSteps('visible', () => undefined, ['artists']) }
    const hiding: Plugin = { name: 'hiding', ...scopeSteps('visible', () => compare('id', '!=', 1), ['artists']) }
    const { client, close } = await startApp({ plugins: [...plugins, showing, hiding] })
    const { status, body } = await client.get('/artists')
    expect(status).to.equal(200)
    expect(body.data.map(({ id }: { id: string }) => id))
      .to.include('2')
      .and.not.to.include('1')
    expect((await client.get('/artists/1')).status).to.equal(200)
    await close()
  })
})

describe('An answer of a scope that is not a condition', () => {
  for (const answer of [null, true, 'all', {}]) {
    it(`excludes all rows when it is ${JSON.stringify(answer)}`, async () => {
      const broken: Plugin = { name: 'broken', ...scopeSteps('addressed', () => answer as never, ['artists']) }
      const { client, close } = await startApp({ plugins: [...plugins, broken] })
      expect((await client.get('/artists')).body.data).to.deep.equal([])
      expect((await client.get('/artists/1')).status).to.equal(404)
      await close()
    })
  }
})
