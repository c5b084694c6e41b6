import type { BulkContext, Seed } from '#store'
import { Artist } from './entity.ts'

export default {
  async run({ em }) {
    await em.insertMany(Artist, [
      {
        id: 1,
        name: 'Radiohead',
        slug: 'radiohead',
        website: 'https://radiohead.com',
        bio: 'English rock band from Abingdon, Oxfordshire, formed in 1985.',
        createdAt: new Date('2001-05-01T09:00:00Z'),
      },
      {
        id: 2,
        name: 'Portishead',
        slug: 'portishead',
        website: null,
        bio: null,
        createdAt: new Date('2002-08-15T12:30:00Z'),
      },
    ])
  },

  async demo({ em }) {
    const toRow = (name: string, index: number) => ({
      id: 3 + index,
      name,
      slug: name.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
      website: null,
      bio: null,
      createdAt: new Date(Date.UTC(2003, index, 1)),
    })
    await em.insertMany(Artist, demoArtists.map(toRow))
  },

  async bulk({ em, unit, random }) {
    const rows = Array.from({ length: 20 }, (_, index) => toArtist(unit * 20 + index, random))
    await em.insertMany(Artist, rows)
    return rows.length
  },
} satisfies Seed

const demoArtists = [
  'Aphex Twin',
  'Aretha Franklin',
  'Boards of Canada',
  'Daft Punk',
  'David Bowie',
  'Fela Kuti',
  'Joni Mitchell',
  'Kate Bush',
  'Kraftwerk',
  'Massive Attack',
  'Miles Davis',
  'Nina Simone',
]

const adjectives = ['Silent', 'Electric', 'Golden', 'Broken', 'Northern', 'Velvet', 'Paper', 'Distant']
const nouns = ['Rivers', 'Machines', 'Tigers', 'Windows', 'Satellites', 'Orchids', 'Harbours', 'Echoes']

function toArtist(row: number, random: BulkContext['random']) {
  const draw = random(row)
  const id = 1001 + row
  const name = `${draw.pick(adjectives)} ${draw.pick(nouns)} ${id}`
  const slug = name.toLowerCase().replaceAll(' ', '-')
  return {
    id,
    name,
    slug,
    website: draw.share(50, 'website') ? `https://${slug}.example` : null,
    bio: draw.share(50, 'bio') ? `${name} play on.` : null,
    createdAt: new Date(Date.UTC(2000 + draw.integer(0, 19), draw.integer(0, 11), 1)),
  }
}
