import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

// Requests that clients of the demo data rely on, with the resources in each response.

const playlist = '/playlists/00000000-0000-4000-8000-000000000001'

describe('Demo data', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const collections: readonly [path: string, data: readonly string[], included?: readonly string[]][] = [
    ['/albums', ['albums 1', 'albums 2'], ['artists 1', 'artists 2']],
    ['/tracks', ['tracks 1', 'tracks 3', 'tracks 4']],
    ['/tracks?filter[explicit]=true', ['tracks 2']],
    ['/albums/1/tracks', ['tracks 1', 'tracks 3']],
    ['/albums/1/relationships/tracks', ['tracks 1', 'tracks 2', 'tracks 3']],
    [`${playlist}/orderedTracks?sort=position`, ['tracks 3', 'tracks 1']],
    [`${playlist}/orderedTracks?sort=position&filter[explicit]=true`, ['tracks 2']],
    [`${playlist}/relationships/orderedTracks`, ['tracks 1', 'tracks 3', 'tracks 2']],
    ['/libraries/1/items', ['tracks 1', 'albums 2', 'artists 1']],
  ]
  for (const [path, data, included] of collections) {
    it(`returns ${data.join(', ')} for ${path}`, async () => {
      const { status, body, text } = await client.get(path)
      expect(status, text).to.equal(200)
      expect(body.data.map(printIdentifier)).to.deep.equal(data)
      if (included) expect(body.included.map(printIdentifier)).to.have.members(included)
    })
  }

  it('returns the pivot values on members and identifiers, and no next page', async () => {
    const members = await client.get(`${playlist}/orderedTracks?sort=position`)
    expect(members.body.links).not.to.have.property('next')
    expect(members.body.data.map(readPosition)).to.deep.equal([1, 2])
    const linkage = await client.get(`${playlist}/relationships/orderedTracks`)
    expect(linkage.body.data.map(readPosition)).to.deep.equal([2, 1, 3])
  })

  it('returns 404 for the unpublished album on every server', async () => {
    for (const path of ['/albums/3', '/admin/albums/3']) {
      const { status, body } = await client.get(path)
      expect(status, path).to.equal(404)
      expect(body.errors[0].code, path).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('counts the tracks of an artist', async () => {
    expect((await client.get('/artists/1')).body.data.attributes.trackCount).to.equal(3)
  })

  it('includes all tracks of an album when its pages are smaller', async () => {
    const { body } = await client.get('/albums/1?include=tracks')
    expect(body.included.map(printIdentifier)).to.have.members(['tracks 1', 'tracks 2', 'tracks 3'])
  })

  it('returns one artist by its slug', async () => {
    const { body } = await client.get('/artists?filter[slug]=radiohead')
    expect(printIdentifier(body.data)).to.equal('artists 1')
  })

  it('returns 400 for an include of the target of a favorite', async () => {
    const { status, body } = await client.get('/favorites/1?include=favoritable')
    expect(status).to.equal(400)
    expect(body.errors[0]).to.deep.include({ code: 'INCLUSION_NOT_ALLOWED', source: { parameter: 'include' } })
  })
})

interface Item {
  readonly type: string
  readonly id: string
  readonly meta: { readonly pivot: { readonly position: number } }
}

function printIdentifier({ type, id }: Item): string {
  return `${type} ${id}`
}

function readPosition({ meta }: Item): number {
  return meta.pivot.position
}
