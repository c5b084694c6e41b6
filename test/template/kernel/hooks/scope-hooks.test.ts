import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Condition, compare } from '#kernel'
import type { Plugin } from '#kernel/plugin'
import { startApp } from '#test/support/catalogue.ts'

describe('An asynchronous scope', () => {
  it('is applied when the hook returns a thenable of another library', async () => {
    const late: Plugin = {
      name: 'late',
      appliesTo: ({ name }) => name === 'artists',
      scope: () => {
        // biome-ignore lint/suspicious/noThenProperty: libraries have promises of their own
        const promise = { then: (resolve: (value: Condition) => void) => resolve(compare('id', '!=', 1)) }
        return promise as unknown as Promise<Condition>
      },
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

describe('The hook showsType', () => {
  it('hides the rows of a type in collections when one of several plugins does not return true', async () => {
    const appliesTo: Plugin['appliesTo'] = ({ name }) => name === 'artists'
    const showing: Plugin = { name: 'showing', appliesTo, showsType: () => true }
    const hiding: Plugin = { name: 'hiding', appliesTo, showsType: () => false }
    const { client, close } = await startApp({ plugins: [...plugins, showing, hiding] })
    const { status, body } = await client.get('/artists')
    expect(status).to.equal(200)
    expect(body.data).to.deep.equal([])
    await close()
  })
})
