import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { mapEntities, openDatabase, StartupError } from '#store'

const venueSchema = defineEntity({
  name: 'Venue',
  properties: {
    id: p.integer().primary(),
    halls: () => p.oneToMany(Hall).mappedBy('venu' as 'venue'),
  },
})
class Venue extends venueSchema.class {}
venueSchema.setClass(Venue)

const hallSchema = defineEntity({
  name: 'Hall',
  properties: { id: p.integer().primary(), venue: () => p.manyToOne(Venue).ref() },
})
class Hall extends hallSchema.class {}
hallSchema.setClass(Hall)

describe('An entity whose mappedBy names an unknown property', () => {
  for (const [name, map] of Object.entries({
    'commands without a database': () => mapEntities([Venue, Hall]),
    'the start': () => openDatabase({ databaseUrl: null, dataDir: null, entities: [Venue, Hall], migrations: [] }),
  })) {
    it(`ends ${name} with a sentence that names both properties`, async () => {
      const error = await map().catch((error: unknown) => error)
      expect(error).to.be.instanceOf(StartupError)
      expect((error as Error).message).to.equal(
        "The entities in entity.ts cannot be mapped: Venue.halls has unknown 'mappedBy' reference: Hall.venu.",
      )
    })
  }
})
