import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { add, addAs, resultsOf, sendBatch } from '#test/support/batch.ts'
import { startService } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/support/persistent-database.ts'
import type { Service } from '#test/support/service.ts'

// The service is killed at six moments of a batch, from its beginning to its end: when it runs again, an album is
// there with all of its tracks, or not at all.

const moments = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9]
const tracks = 49

describe('The service, killed in the middle of a batch', () => {
  let database: PersistentDatabase
  let service: Service

  before(async () => {
    database = await openPersistentDatabase()
    service = await startService(database.env)
  })
  after(async () => {
    await service.kill()
    await database.close()
  })

  it('has done all of it or nothing, and all that it acknowledged', async () => {
    await sendBatch(service.client, album('first of all'))
    const started = performance.now()
    resultsOf(await sendBatch(service.client, album('measured')))
    const duration = performance.now() - started

    const acknowledged = new Set(['first of all', 'measured'])
    for (const moment of moments) {
      const title = `killed at ${moment}`
      const answer = sendBatch(service.client, album(title)).then(
        (sent) => acknowledged.add(resultsOf(sent)[0]?.attributes?.title as string),
        () => null, // the connection is lost
      )
      await setTimeout(duration * moment)
      await service.kill()
      await answer
      service = await startService(database.env)
      await expectWhole(service.client, acknowledged)
    }
    expect(acknowledged.size).to.be.below(2 + moments.length)
  })
})

function album(title: string): object[] {
  const onIt = { album: { type: 'albums', lid: 'album' } }
  return [
    addAs('album', 'albums', { title }),
    ...Array.from({ length: tracks }, (_, index) => add('tracks', { title: `${title} ${index}` }, onIt)),
  ]
}

async function expectWhole(client: Client, acknowledged: ReadonlySet<string>): Promise<void> {
  const made = new Map<string, number>()
  const { body } = await client.get('/albums?page[size]=50&include=tracks')
  for (const { id, attributes, relationships } of body.data) {
    if (Number(id) > 3) made.set(attributes.title, relationships.tracks.data.length)
  }
  expect([...made.keys()]).to.include.members([...acknowledged])
  expect([...made.values()]).to.deep.equal([...made].map(() => tracks))
}
