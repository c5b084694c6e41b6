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
