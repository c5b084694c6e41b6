import { expect } from 'chai'
import { projectApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'

describe('The actions of the demo', () => {
  let client: Client
  before(async () => {
    client = (await projectApp()).client
  })
  const admin = { authorization: 'Bearer admin' }
  const reissue = (attributes: object) => ({ data: { type: 'album-reissues', attributes } })

  it('returns the album and adds a release when an administrator reissues it', async () => {
    const format = { medium: 'vinyl', rpm: 33 }
    const { status, body } = await client.post('/albums/1/-actions/reissue', reissue({ label: 'XL', format }), admin)
    expect(status).to.equal(200)
    expect(body.data).to.include({ type: 'albums', id: '1' })
    expect(body.data.attributes.releaseInfo.label).to.equal('XL')
    expect(body.included.map(({ type }: { type: string }) => type)).to.deep.equal(['artists'])
    const { body: releases } = await client.get('/releases?sort=-catalogNumber&fields[releases]=format,album')
    const added = releases.data.find(({ attributes }: { attributes: { format: object } }) => attributes.format)
    expect(added.attributes.format).to.include(format)
    expect(added.relationships.album.data).to.deep.equal({ type: 'albums', id: '1' })
  })

  it('returns counts in meta for the summary', async () => {
    const { status, body } = await client.send('POST', '/albums/-actions/summary')
    expect(status).to.equal(200)
    expect(body.meta).to.deep.equal({ albums: 2, tracks: 4, averageRating: 9.45 })
  })

  it('stores an uploaded image as a data URL', async () => {
    const { status } = await client.send('POST', '/albums/1/-actions/artwork', {
      body: 'PNG',
      headers: { 'content-type': 'image/png' },
    })
    expect(status).to.equal(204)
    const { body } = await client.get('/albums/1')
    expect(body.data.attributes.artwork).to.equal(`data:image/png;base64,${btoa('PNG')}`)
  })
})
