import { expect } from 'chai'
import { startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

describe('A unique value of an on() attribute', () => {
  after(emptyLibrary)

  for (const [title, attributes, member] of [
    ['another attribute of the same column is not sent', { parentCode: 'c' }, 'parentCode'],
    ['another attribute of the same column is sent', { code: 'd', parentCode: 'c' }, 'parentCode'],
    ['the value of the other attribute is taken', { code: 'c', parentCode: 'd' }, 'code'],
  ] as const) {
    it(`returns 409 with the pointer of the attribute whose value is taken when ${title}`, async () => {
      const { client, close } = await startCards({
        fields: ({ id, string, belongsTo }) => [
          id(),
          string('code').required(),
          belongsTo('parent', 'cards'),
          string('parentCode').on('parent').storedAs('code'),
        ],
      })
      try {
        const data = { type: 'cards', id: '2', attributes }
        const { status, body, text } = await client.patch('/cards/2', { data })
        expect(status, text).to.equal(409)
        expect(body.errors[0]).to.deep.include({
          source: { pointer: `/data/attributes/${member}` },
          detail: `The value of ${member} is already taken.`,
        })
      } finally {
        await close()
      }
    })
  }
})
