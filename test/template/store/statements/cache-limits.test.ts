import { expect } from 'chai'
import { countCachedStatements, maxStatements } from '#store/sql/run-statement.ts'
import '#test/support/catalogue.ts'
import { type Client, createTestApp } from '#test/support/test-kit.ts'

describe('The statement cache', () => {
  let client: Client
  before(async () => {
    client = (await createTestApp()).client
  })

  it(`keeps at most ${maxStatements} statements when queries need more`, async function () {
    this.timeout(60_000)
    const tracks = permutations(['title', 'trackNumber', 'explicit', 'genres', 'previewOffset', 'durationSeconds'])
    const albums = permutations(['title', 'explicit', 'status', 'releasedAt', 'availableFrom', 'availableUntil'])
    const artists = permutations(['name', 'slug', 'website', 'bio', 'createdAt', 'albums'])
    for (const [index, track] of tracks.entries()) {
      const fields = `fields[tracks]=album,${track}&fields[albums]=artist,${albums[index]}&fields[artists]=${artists[index]}`
      // Without the client, which validates every document.
      const response = await fetch(`${client.url}/tracks?page[size]=1&include=album.artist&${fields}`)
      expect(response.status).to.equal(200)
      await response.arrayBuffer()
    }
    expect(countCachedStatements()).to.equal(maxStatements)
  })
})

function permutations(names: readonly string[]): string[] {
  if (names.length === 1) return [...names]
  return names.flatMap((name) =>
    permutations(names.filter((other) => other !== name)).map((others) => `${name},${others}`),
  )
}
