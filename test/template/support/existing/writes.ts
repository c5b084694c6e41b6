import { expect } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import type { ResourceType } from '#kernel/plugin'
import { findFittingMembers } from '#test/conformance/fitting-row.ts'
import { sampleResource } from '#test/conformance/leaks/rows.ts'
import { addMembers, addRows, requiredMembers } from '#test/conformance/rows.ts'
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
    const emptyTypes = await addRows(app)
    const ids = new Map<string, string>()
    const write = async (type: ResourceType, key: { readonly id?: string } = {}): Promise<ResourceType[]> => {
      await addMembers(app, type)
      const relationships = toDocument(await requiredMembers(app, type))
      const data = { ...sampleResource(type, 9), ...key, relationships }
      const first = await client.post(`/${type.name}`, { data }, token)
      if (hasUnknownReference(first)) data.attributes = { ...data.attributes, ...(await storedValues(type, data)) }
      if (violatesCheck(first)) {
        const fitting = await findFittingMembers(app, type, 9)
        if (fitting?.id && !key.id) data.id = fitting.id
        data.attributes = { ...data.attributes, ...fitting?.attributes }
        Object.assign(relationships, toDocument(fitting?.relationships ?? {}))
      }
      const isRepeated = hasUnknownReference(first) || violatesCheck(first)
      const created = isRepeated ? await client.post(`/${type.name}`, { data }, token) : first
      if (!key.id && findKeyTarget(created)) return [type]
      expect(created.status, `${type.name}: ${created.text}`).to.equal(201)
      const { id } = created.body.data
      ids.set(type.name, id)
      const url = `/${type.name}/${encodeURIComponent(id)}`
      const { attributes } = data
      const updated = await client.patch(url, { data: { type: type.name, id, attributes } }, token)
      expect(updated.status, `${type.name}: ${updated.text}`).to.equal(200)
      expect((await client.get(url, token)).status, url).to.equal(200)
      return []
    }
    /** The values of a row for the attributes that are sent. */
    const storedValues = async (type: ResourceType, { attributes }: { readonly attributes: object }) => {
      const { body } = await client.get(`/${type.name}`, token)
      const stored: Record<string, unknown> = body.data[0]?.attributes ?? {}
      return Object.fromEntries(Object.keys(attributes).map((name) => [name, stored[name]]))
    }
    const postponed: ResourceType[] = []
    for (const type of app.registry.types.values()) {
      // Types that require a row of each other have no first row.
      if (type.operations.has('Create') && emptyTypes.get(type.name)?.isFault !== false)
        postponed.push(...(await write(type)))
    }
    for (const type of postponed) {
      const refused = await client.post(`/${type.name}`, { data: sampleResource(type, 9) }, token)
      const id = ids.get(findKeyTarget(refused) ?? '')
      expect(id, `${type.name}: ${refused.text}`).to.be.a('string')
      await write(type, { id: id as string })
    }
  })
})

/** The type of the missing row if the id of the new resource is a foreign key: its row has to exist. */
function findKeyTarget({ status, body }: { readonly status: number; readonly body: ErrorBody }): string | undefined {
  const [error] = status === 404 ? (body.errors ?? []) : []
  return error?.source?.pointer === '/data/id' ? /type '([^']+)'/.exec(error.detail)?.[1] : undefined
}

/** Whether the columns of a foreign key of several columns, which are attributes, have values that no row has. */
function hasUnknownReference({ status, body }: { readonly status: number; readonly body: ErrorBody }): boolean {
  return status === 409 && body.errors?.[0]?.detail === 'A stored value refers to a row that does not exist.'
}

/** Whether a check constraint of several columns rejects the generated values. */
function violatesCheck({ status, body }: { readonly status: number; readonly body: ErrorBody }): boolean {
  return status === 422 && body.errors?.[0]?.detail === 'A stored value is not allowed.'
}

interface ErrorBody {
  readonly errors?: readonly { readonly detail: string; readonly source?: { readonly pointer?: string } }[]
}

function toDocument(members: Readonly<Record<string, unknown>>): Record<string, object> {
  return Object.fromEntries(Object.entries(members).map(([name, data]) => [name, { data }]))
}
