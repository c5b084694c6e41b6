// The documents of the hand-written service: one function per type.

export interface Row {
  readonly id: string | number
  readonly [column: string]: unknown
}

/** The tracks are those of the include. */
export function album(row: Row, base: string, tracks?: readonly Row[]) {
  const self = `${base}/albums/${row.id}`
  return {
    type: 'albums',
    id: String(row.id),
    links: { self },
    attributes: {
      title: row.title,
      averageRating: row.average_rating === null ? null : Number(row.average_rating),
      artwork: row.artwork,
      releasedAt: row.released_at === null ? null : dateTime(row.released_at as Date),
      explicit: row.explicit,
      status: row.status,
      availableFrom: row.available_from,
      availableUntil: row.available_until,
      releaseInfo:
        row.label === null && row.catalogue_number === null
          ? null
          : { label: row.label, catalogueNumber: row.catalogue_number },
    },
    relationships: {
      artist: {
        links: { self: `${self}/relationships/artist`, related: `${self}/artist` },
        data: row.artist_id === null ? null : { type: 'artists', id: String(row.artist_id) },
      },
      tracks: {
        links: { self: `${self}/relationships/tracks`, related: `${self}/tracks` },
        ...(tracks && { data: tracks.map(trackIdentifier) }),
      },
    },
  }
}

/** The row may also have the columns of an album. */
export function artist(row: Row, base: string) {
  const self = `${base}/artists/${row.artist_id}`
  return {
    type: 'artists',
    id: String(row.artist_id),
    links: { self },
    attributes: {
      name: row.name,
      slug: row.slug,
      website: row.website,
      bio: row.bio,
      trackCount: row.track_count,
      createdAt: dateTime(row.created_at as Date),
    },
    relationships: { albums: { links: { self: `${self}/relationships/albums`, related: `${self}/albums` } } },
  }
}

export function track(row: Row, base: string, playlistIds = row.playlist_ids as readonly unknown[]) {
  const self = `${base}/tracks/${row.id}`
  return {
    type: 'tracks',
    id: String(row.id),
    meta: { served_by: 'music-catalog' },
    links: { self },
    attributes: {
      title: row.title,
      trackNumber: row.track_number,
      durationSeconds: row.length_seconds,
      explicit: row.explicit,
      genres: row.genres,
      previewOffset: row.preview_offset,
      displayTitle: `${row.track_number}. ${row.title}`,
    },
    relationships: {
      album: {
        links: { self: `${self}/relationships/album`, related: `${self}/album` },
        data: row.album_id === null ? null : { type: 'albums', id: String(row.album_id) },
      },
      playlists: {
        links: { self: `${self}/relationships/playlists`, related: `${self}/playlists` },
        data: playlistIds.map((id) => ({ type: 'playlists', id })),
      },
    },
  }
}

export function sparseTrack(row: Row, base: string) {
  return {
    type: 'tracks',
    id: String(row.id),
    meta: { served_by: 'music-catalog' },
    links: { self: `${base}/tracks/${row.id}` },
    attributes: { title: row.title, durationSeconds: row.length_seconds },
  }
}

export function playlist(row: Row, base: string) {
  const self = `${base}/playlists/${row.id}`
  return {
    type: 'playlists',
    id: row.id,
    links: { self },
    attributes: { title: row.title, slug: row.slug, public: row.public, externalId: row.external_id },
    relationships: {
      owner: { links: { self: `${self}/relationships/owner` } },
      publicOwner: {
        links: { self: `${self}/relationships/publicOwner`, related: `${self}/publicOwner` },
        data: row.owner_id === null ? null : { type: 'public-profiles', id: String(row.owner_id) },
      },
      tracks: { links: { self: `${self}/relationships/tracks`, related: `${self}/tracks` } },
      orderedTracks: { links: { self: `${self}/relationships/orderedTracks`, related: `${self}/orderedTracks` } },
    },
  }
}

export function user(row: Row, base: string) {
  const self = `${base}/users/${row.id}`
  return {
    type: 'users',
    id: String(row.id),
    links: { self },
    attributes: {
      email: row.email,
      displayName: row.display_name,
      birthDate: row.birth_date,
      preferences: sortKeys(row.preferences as object),
      lastSeenIp: row.last_seen_ip,
    },
    relationships: {
      playlists: { links: { self: `${self}/relationships/playlists`, related: `${self}/playlists` } },
      library: { links: { self: `${self}/relationships/library`, related: `${self}/library` } },
    },
  }
}

function trackIdentifier({ id }: Row) {
  return { type: 'tracks', id: String(id), meta: { served_by: 'music-catalog' } }
}

function dateTime(date: Date): string {
  const text = date.toISOString()
  return `${text.endsWith('.000Z') ? text.slice(0, -5) : text.slice(0, -1)}+00:00`
}

function sortKeys(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
