import { type Provider, type Relation, type ResourceType, shownFields, storeProvider } from '#kernel'

/** Holds the track count of artists that the provider has read. */
const trackCount = Symbol('trackCount')

export function trackCountOf(artist: object): number {
  return (artist as { readonly [trackCount]?: number })[trackCount] ?? 0
}

/** Counts the tracks of a whole page by one statement. */
export const artistProvider: Provider = {
  ...storeProvider,

  async complete(type, artists, query, context) {
    if (!shownFields(type, query).attributes.some(({ name }) => name === 'trackCount')) return
    const found = await context.app.store.countThrough(pathToTracks(type), artists, context)
    for (const [index, artist] of artists.entries()) Object.assign(artist, { [trackCount]: found[index] })
  },
}

/** The path from an artist to the tracks of its albums. */
function pathToTracks(type: ResourceType): Relation[] {
  const albums = type.fields.get('albums') as Relation
  return [albums, albums.target.fields.get('tracks') as Relation]
}
