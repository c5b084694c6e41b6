import { expect } from 'chai'
import type { App } from '#kernel/plugin'
import { configFrom } from '#test/template/support/config-from.ts'
import { readSettings } from '../settings.ts'

const read = (env: Record<string, string>) => readSettings({ config: configFrom(env) } as unknown as App)

describe('The settings of idempotency keys', () => {
  it('keep responses of a megabyte for a day, an eighth of a gigabyte per principal and a gigabyte in total by default', () => {
    expect(read({})).to.deep.equal({
      retention: 86_400,
      responseBytes: 1_048_576,
      principalBytes: 134_217_728,
      totalBytes: 1_073_741_824,
    })
  })

  it('limit nothing when the bytes are 0', () => {
    const names = ['IDEMPOTENCY_RESPONSE_BYTES', 'IDEMPOTENCY_PRINCIPAL_BYTES', 'IDEMPOTENCY_TOTAL_BYTES']
    expect(read(Object.fromEntries(names.map((name) => [name, '0'])))).to.include({
      responseBytes: Number.POSITIVE_INFINITY,
      principalBytes: Number.POSITIVE_INFINITY,
      totalBytes: Number.POSITIVE_INFINITY,
    })
  })

  for (const [name, lowest, highest] of [
    ['IDEMPOTENCY_RETENTION_SECONDS', 1, 2_147_483_647],
    ['IDEMPOTENCY_RESPONSE_BYTES', 0, 2_147_483_647],
    ['IDEMPOTENCY_PRINCIPAL_BYTES', 0, Number.MAX_SAFE_INTEGER],
    ['IDEMPOTENCY_TOTAL_BYTES', 0, Number.MAX_SAFE_INTEGER],
  ] as const) {
    it(`accept ${name} from ${lowest} to ${highest}`, () => {
      for (const value of [lowest, lowest + 1, highest]) expect(() => read({ [name]: `${value}` })).not.to.throw()
      for (const value of [lowest - 1, lowest + 0.5, highest + 1]) {
        expect(() => read({ [name]: `${value}` }), `${value}`).to.throw(name)
      }
    })
  }
})
