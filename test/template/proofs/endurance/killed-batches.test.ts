import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { add, addAs, readResults, sendBatch } from '#test/support/batch.ts'
import type { Client } from '#test/support/client.ts'
import { startService } from '#test/template/support/catalogue-service.ts'
import { openPersistentDatabase, type PersistentDatabase } from '#test/template/support/persistent-database.ts'
import type { Service } from '#test/template/support/service.ts'

// The service is killed at six points of a batch, from its beginning to its end: after a restart an album exists with all
// of its tracks, or not at all.

const killPoints = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9]
const tracks = 49

describe('Service killed during a batch', () => {
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

  it('keeps the whole batch or nothing, and everything acknowledged', async () => {
    await sendBatch(service.client, album('first of all'))
    const started = performance.now()
    readResults(await sendBatch(service.client, album('measured')))
    const duration = performance.now() - started

    const acknowledged = new Set(['first of all', 'measured'])
    for (const killPoint of killPoints) {
      const title = `killed at ${killPoint}`
      const response = sendBatch(service.client, album(title)).then(
        (sent) => acknowledged.add(readResults(sent)[0]?.attributes?.title as string),
        () => null, // the connection is lost
      )
      await setTimeout(duration * killPoint)
      await service.kill()
      await response
      service = await startService(database.env)
      await expectWhole(service.client, acknowledged)
    }
    expect(acknowledged.size).to.be.below(2 + killPoints.length)
  })
})

function album(title: string): object[] {
  const relationships = { album: { type: 'albums', lid: 'album' } }
  return [
    addAs('album', 'albums', { title }),
    ...Array.from({ length: tracks }, (_, index) => add('tracks', { title: `${title} ${index}` }, relationships)),
  ]
}

async function expectWhole(client: Client, acknowledged: ReadonlySet<string>): Promise<void> {
  const created = new Map<string, number>()
  const { body } = await client.get('/albums?page[size]=50&include=tracks')
  for (const { id, attributes, relationships } of body.data) {
    if (Number(id) > 3) created.set(attributes.title, relationships.tracks.data.length)
  }
  expect([...created.keys()]).to.include.members([...acknowledged])
  expect([...created.values()]).to.deep.equal([...created].map(() => tracks))
}
