import { expect } from 'chai'
import { developmentTokens } from '#app/plugins.ts'
import type { App } from '#kernel/plugin'
import { projectApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'

describe('Actions of the demo', () => {
  let client: Client
  let app: App
  before(async () => {
    ;({ client, app } = await projectApp())
  })
  const admin = { authorization: 'Bearer admin' }
  const reissue = (attributes: object) => ({ data: { type: 'album-reissues', attributes } })

  it('return the album and add a release when an administrator calls reissue', async () => {
    const format = { medium: 'vinyl', rpm: 33 }
    const { status, body } = await client.post('/albums/1/-actions/reissue', reissue({ label: 'XL', format }), admin)
    expect(status).to.equal(200)
    expect(body.data).to.include({ type: 'albums', id: '1' })
    expect(body.data.attributes.releaseInfo.label).to.equal('XL')
    expect(body.included.map(({ type }: { type: string }) => type)).to.deep.equal(['artists'])
    const { body: releases } = await client.get('/releases?fields[releases]=catalogNumber,format,album')
    const added = releases.data.find(
      ({ attributes }: { attributes: { catalogNumber: string } }) => attributes.catalogNumber === 'REISSUE 1',
    )
    expect(added.attributes.format).to.include(format)
    expect(added.relationships.album.data).to.deep.equal({ type: 'albums', id: '1' })
  })

  it('return counts in meta for summary', async () => {
    const { status, body } = await client.send('POST', '/albums/-actions/summary')
    expect(status).to.equal(200)
    expect(body.meta).to.deep.equal({ albums: 2, tracks: 4, averageRating: 9.45 })
  })

  it('store an image that is sent to artwork as a data URL', async () => {
    const { status } = await client.send('POST', '/albums/1/-actions/artwork', {
      body: 'PNG',
      headers: { 'content-type': 'image/png' },
    })
    expect(status).to.equal(204)
    const { body } = await client.get('/albums/1')
    expect(body.data.attributes.artwork).to.equal(`data:image/png;base64,${btoa('PNG')}`)
  })

  it('return 413 for an image of more than 256 kB and 415 for another media type', async () => {
    const upload = (size: number, type: string) =>
      client.send('POST', '/albums/1/-actions/artwork', { body: 'x'.repeat(size), headers: { 'content-type': type } })
    expect((await upload(256 * 1024, 'image/jpeg')).status).to.equal(204)
    expect((await upload(256 * 1024 + 1, 'image/jpeg')).status).to.equal(413)
    expect((await upload(1, 'image/gif')).status).to.equal(415)
    expect((await client.get('/albums/1')).body.data.attributes.artwork).to.match(/^data:image\/jpeg;base64,/)
  })

  it('return 404 for an unpublished album', async () => {
    expect((await client.post('/albums/3/-actions/reissue', reissue({ label: 'XL' }), admin)).status).to.equal(404)
  })

  for (const token of [null, ...Object.keys(developmentTokens)]) {
    it(`are linked on every resource exactly when the call is allowed for ${token ?? 'anonymous requests'}`, async () => {
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      let checked = 0
      for (const { prefix, types } of app.servers) {
        for (const { uriType, actions } of types.values()) {
          const linked = actions.filter(({ isLinked }) => isLinked)
          const resources = linked.length > 0 ? (await client.get(`${prefix}/${uriType}`, headers)).body.data : []
          for (const { links } of resources) {
            for (const { name, method } of linked) {
              const url = `${links.self}/-actions/${name}`
              const request = { headers, ...(method === 'POST' && { body: {} }) }
              const { status, body } = await client.send(method, url, request)
              // A resource that is not deleted cannot be restored.
              const isRefused = [401, 403, 404].includes(status) || body?.errors?.[0].code === 'RESOURCE_NOT_TRASHED'
              expect(links[name], url).to.equal(isRefused ? undefined : url)
              checked++
            }
          }
        }
      }
      expect(checked).to.be.greaterThan(3)
    })
  }
})
