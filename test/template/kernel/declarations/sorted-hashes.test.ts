import { expect } from 'chai'
import { defineType } from '#kernel'
import { memoryProvider } from '#memory'
import { declared } from '#test/template/specification/library-app.ts'
import { startLibrary } from '#test/template/support/library/index.ts'

interface Shop {
  id: string
  prices: Record<string, unknown>
  ranks: Record<string, unknown>
}

const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${29 - index}`, index]))

const rows: Shop[] = [
  { id: 'few', prices: { wine: 9, ale: [4, { y: 1 }], 'mead "x"': null }, ranks: { c: 'x', a: 'z', b: 'y' } },
  { id: 'many', prices: many, ranks: {} },
]

const shops = defineType<Shop>({
  type: 'shops',
  operations: ['FetchCollection'],
  fields: ({ id, arrayHash }) => [id(), arrayHash('prices').sortKeys(), arrayHash('ranks').sortValues()],
  provider: memoryProvider(rows),
})

describe('An arrayHash with sortKeys() or sortValues()', () => {
  it('is rendered in the order of its keys or values, with few and with many members', async () => {
    const { client, close } = await startLibrary({ resources: declared(shops) })
    const [few, all] = (await client.get('/shops')).body.data
    expect(JSON.stringify(few.attributes)).to.equal(
      '{"prices":{"ale":[4,{"y":1}],"mead \\"x\\"":null,"wine":9},"ranks":{"c":"x","b":"y","a":"z"}}',
    )
    expect(Object.keys(all.attributes.prices)).to.deep.equal(Object.keys(many).sort())
    await close()
  })
})
