import { expect } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import { sampleOf } from '#test/prove/leaks/rows.ts'
import { addRows, requiredMembers } from '#test/prove/rows.ts'
import { as, createTestApp, type TestApp } from '#test/support/test-kit.ts'

// Tests of a project that was generated from a database; they are not part of the tests of the template.

describe('Types generated from a database, with policies that allow writes', function () {
  this.timeout(120_000)
  const token = as(Object.keys(developmentTokens)[0] ?? '')
  let testApp: TestApp
  before(async () => {
    testApp = await createTestApp()
  })

  it('create and update a resource of every type that offers it', async () => {
    const { app, client } = testApp
    await addRows(app)
    for (const type of app.registry.types.values()) {
      if (!type.operations.has('Create')) continue
      const data = { ...sampleOf(type, 9), relationships: toDocument(await requiredMembers(app, type)) }
      const created = await client.post(`/${type.name}`, { data }, token)
      expect(created.status, `${type.name}: ${created.text}`).to.equal(201)
      const { id } = created.body.data
      const url = `/${type.name}/${encodeURIComponent(id)}`
      const { attributes } = data
      const updated = await client.patch(url, { data: { type: type.name, id, attributes } }, token)
      expect(updated.status, `${type.name}: ${updated.text}`).to.equal(200)
      expect((await client.get(url, token)).status, url).to.equal(200)
    }
  })
})

function toDocument(members: Readonly<Record<string, unknown>>): Record<string, object> {
  return Object.fromEntries(Object.entries(members).map(([name, data]) => [name, { data }]))
}
