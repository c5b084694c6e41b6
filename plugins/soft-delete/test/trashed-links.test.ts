import { expect } from 'chai'
import { data } from '#plugins/actions/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { as } from '#test/support/principals.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { CardPolicy } from '#test/template/support/library/card-policy.ts'
import { startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary } from '#test/template/support/library/index.ts'

class Bumpable extends CardPolicy {
  static override readonly needs = { ...CardPolicy.needs, bump: [] }
  bump = () => true
}
const ada = as('ada')

describe('The links of a trashed resource', () => {
  let running: TestApp
  // biome-ignore lint/suspicious/noExplicitAny: a document
  let trashed: any
  beforeEach(async () => {
    running = await startCards({
      policy: Bumpable,
      actions: ({ action }) => [
        action('bump', { asLink: true, answers: 'data', handle: ({ subject }) => data(subject as object) }),
      ],
    })
    await query('update cards set deleted_at = now() where id = 1')
    trashed = (await running.client.get('/cards?filter[trashed]=only', ada)).body.data[0]
  })
  afterEach(() => running.close())
  after(emptyLibrary)

  it('has a self link that returns the resource', async () => {
    const { status, body } = await running.client.get(trashed.links.self, ada)
    expect([status, body.data?.id]).to.deep.equal([200, trashed.id])
  })

  it('has links only to actions that can run on it', () => {
    expect(Object.keys(trashed.links)).to.deep.equal(['self', 'restore', 'forceDelete'])
  })
})
