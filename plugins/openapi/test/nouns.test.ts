import { expect } from 'chai'
import { relationNoun, toNouns, toSingular, withArticle } from '../nouns.ts'

describe('Nouns in texts of the OpenAPI document', () => {
  for (const [plural, singular] of [
    ['albums', 'album'],
    ['countries', 'country'],
    ['days', 'day'],
    ['releases', 'release'],
    ['boxes', 'box'],
    ['addresses', 'address'],
    ['branches', 'branch'],
    ['statuses', 'status'],
    ['houses', 'house'],
    ['movies', 'movie'],
    ['series', null],
    ['status', null],
    ['analysis', null],
    ['people', null],
  ] as const) {
    it(`have the singular ${singular ?? '(none)'} for ${plural}`, () => {
      expect(toSingular(plural)).to.equal(singular)
    })
  }

  it('are words of the type or the relation', () => {
    expect(toNouns({ name: 'catalog-exports' })).to.deep.equal({
      plural: 'catalog exports',
      singular: 'catalog export',
    })
    expect(toNouns({ name: 'blogPosts' })).to.deep.equal({ plural: 'blog posts', singular: 'blog post' })
    expect(toNouns({ name: 'people' })).to.deep.equal({ plural: 'people', singular: 'resource of type people' })
    expect(relationNoun({ name: 'orderedTracks' })).to.equal('ordered tracks')
  })

  it('have the article of their sound', () => {
    const nouns = ['album', 'upload', 'artist', 'user', 'unit', 'url', 'track', 'export job']
    expect(nouns.map(withArticle)).to.deep.equal([
      'an album',
      'an upload',
      'an artist',
      'a user',
      'a unit',
      'a url',
      'a track',
      'an export job',
    ])
  })
})
