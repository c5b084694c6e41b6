import { expect } from 'chai'
import { buildApp } from '#test/support/app.ts'
import { limits } from '../index.ts'

describe('A service in production', () => {
  const warningsOf = async (plugins: readonly ReturnType<typeof limits>[], production: boolean) => {
    const warnings: string[] = []
    const warn = (_: object, message: string) => void warnings.push(message)
    const logger = { info: () => {}, warn, error: () => {} }
    const app = await buildApp({ logger, plugins, resources: [], config: { production } })
    await app.close()
    return warnings
  }

  it('logs a warning when it starts without the plugin limits, because documents have no limit', async () => {
    const warning =
      'No plugin limits the size of documents: a request may read all rows of a table. Add limits() to app/plugins.ts.'
    expect(await warningsOf([], true)).to.deep.equal([warning])
    expect(await warningsOf([], false)).to.deep.equal([])
    expect(await warningsOf([limits()], true)).to.deep.equal([])
  })
})
