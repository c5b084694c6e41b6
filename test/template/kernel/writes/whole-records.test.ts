import { expect } from 'chai'
import type { Server } from '#kernel/plugin'
import { markDirty } from '#test/support/app.ts'
import { catalogue, startApp } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { configFrom } from '#test/template/support/config-from.ts'

// A client that keeps records and sends them back whole: the recipe of docs/clients.md for every type of the catalogue.

// biome-ignore lint/suspicious/noExplicitAny: documents are read without types
type Json = any

const principals = ['admin', 'ada@example.com'].map((token) => ({ authorization: `Bearer ${token}` }))

describe('A record that is sent back whole', () => {
  after(markDirty)

  it('is accepted without a change for every type: read-only attributes, links and meta are ignored', async () => {
    const { app, client } = await catalogue()
    const accepted: string[] = []
    for (const path of app.servers.flatMap(updatablePaths)) {
      for (const headers of principals) {
        const record = await firstRecord(client, path, headers)
        if (!record || (await isReadOnlyFor(client, path, headers, record))) continue
        const url = `${path}/${record.id}`
        const { status, body } = await client.patch(url, { data: toInput(record) }, headers)
        expect(status, `${url}: ${JSON.stringify(body)}`).to.equal(200)
        expect((await client.get(url, headers)).body.data, url).to.deep.equal(record)
        accepted.push(path)
      }
    }
    expect(accepted).to.include.members(['/albums', '/tracks', '/playlists', '/libraries', '/admin/users'])
  })

  it('changes the attribute that differs, and no other member', async () => {
    const { client } = await catalogue()
    const { data: album } = (await client.get('/albums/1')).body
    const changed = { ...toInput(album), attributes: { ...album.attributes, title: 'OK', averageRating: 1 } }
    const { status, body } = await client.patch('/albums/1', { data: changed })
    expect(status).to.equal(200)
    expect(body.data.attributes).to.deep.equal({ ...album.attributes, title: 'OK' })
  })

  it('is accepted when SCHEMA_VALIDATION is on', async () => {
    const { client, close } = await startApp({ config: configFrom({ SCHEMA_VALIDATION: 'both' }) })
    const { data: album } = (await client.get('/albums/1')).body
    expect((await client.patch('/albums/1', { data: toInput(album) })).status).to.equal(200)
    await close()
  })

  it('returns 400 with the pointer of a relationship without data', async () => {
    const { client } = await catalogue()
    const { data: album } = (await client.get('/albums/1')).body
    expect(album.relationships.tracks).not.to.have.property('data')
    const { status, body } = await client.patch('/albums/1', { data: album })
    expect(status).to.equal(400)
    expect(body.errors.map(({ source }: Json) => source.pointer)).to.deep.equal(['/data/relationships/tracks'])
  })
})

/** The record without relationships that have no data, and without to-many relationships. */
function toInput({ relationships = {}, ...record }: Json): Json {
  const toOne = Object.entries<Json>(relationships).filter(([, { data }]) => data !== undefined && !Array.isArray(data))
  return { ...record, relationships: Object.fromEntries(toOne) }
}

function updatablePaths({ prefix, types }: Server): string[] {
  const updatable = [...types.values()].filter(
    ({ operations }) => operations.has('FetchCollection') && operations.has('FetchOne') && operations.has('Update'),
  )
  return updatable.map(({ uriType }) => `${prefix}/${uriType}`)
}

/** Returns the first record of the collection as its own URL shows it; null if the principal sees none. */
async function firstRecord(client: Client, path: string, headers: Record<string, string>): Promise<Json> {
  const [first] = (await client.get(path, headers)).body?.data ?? []
  return first ? ((await client.get(`${path}/${first.id}`, headers)).body.data ?? null) : null
}

/** Whether the policy denies even an update without a change. */
async function isReadOnlyFor(client: Client, path: string, headers: Record<string, string>, { type, id }: Json) {
  return (await client.patch(`${path}/${id}`, { data: { type, id } }, headers)).status === 403
}
