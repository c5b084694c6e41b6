/** A request of a careless or hostile client to the demo; no plugin is needed to answer it with less than 500. */
export interface ClientMistake {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const admin = { authorization: 'Bearer admin' }
const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
const atomicHeaders = { accept: atomic, 'content-type': atomic, ...admin }

const get = (path: string, headers: Record<string, string> = {}): ClientMistake => ({ method: 'GET', path, headers })
const post = (path: string, body: unknown, headers = admin): ClientMistake => ({ method: 'POST', path, body, headers })
const patch = (path: string, body: unknown): ClientMistake => ({ method: 'PATCH', path, body, headers: admin })
const create = (type: string, attributes: unknown, relationships: unknown = {}) =>
  post(`/${type}`, { data: { type, attributes, relationships } })
const update = (type: string, id: string, attributes: unknown) =>
  patch(`/${type}/${id}`, { data: { type, id, attributes } })

const longText = 'x'.repeat(100_000)
const missing = { type: 'artists', id: '999999' }

export const clientMistakes: readonly ClientMistake[] = [
  ...['include', 'sort', 'filter', 'page', 'fields', 'withCount', 'relatedQuery', 'unknown'].flatMap((family) => [
    get(`/albums?${family}=nothing`),
    get(`/albums?${family}[nothing]=1`),
    get(`/albums?${family}[a][b][c]=%00`),
    get(`/albums/1/tracks?${family}=-1`),
    get(`/albums/1/relationships/tracks?${family}=`),
  ]),
  get('/albums?page[number]=99999999999999999999&page[size]=0'),
  get('/albums?page[after]=garbage&page[size]=-1'),
  get('/albums?filter[title]=%00&filter[id]=x&filter[status]=x'),
  get('/albums/%00'),
  get('/albums/99999999999999999999'),
  get('/albums', { accept: 'text/html', authorization: 'Bearer unknown' }),
  get('/playlists/not-a-uuid'),
  get('/users/1', admin),
  ...['artists', 'albums', 'tracks', 'playlists', 'users', 'releases', 'genres', 'devices', 'products'].flatMap(
    (type) => [
      create(type, {}),
      create(type, { name: null, title: null, slug: null, status: null, email: null, format: null }),
      create(type, {
        name: longText,
        title: longText,
        slug: longText,
        status: longText,
        email: longText,
        label: longText,
      }),
      create(type, { name: 1, title: [], slug: {}, status: 1.5, email: false, format: [], trackNumber: 1e20 }),
      create(type, { name: '', title: '', slug: '', status: 'nothing', email: '', format: {}, trackNumber: -1 }),
      create(type, [], { artist: { data: missing }, album: { data: null }, tracks: { data: [missing, missing] } }),
      post(`/${type}`, { data: { type, id: 'x', attributes: { title: '\u0000', name: '\ud800' } } }),
      post(`/${type}`, { data: null }),
      post(`/${type}`, '{"data":'),
    ],
  ),
  update('albums', '1', { title: null, status: 'nothing', releasedAt: 'never', price: 'free' }),
  update('albums', '1', { title: '', releasedAt: '9999-12-31T23:59:59Z', availableFrom: '2024-02-30' }),
  update('tracks', '1', { trackNumber: 2_147_483_648, genres: [null], previewOffset: '25:00:00' }),
  update('releases', '1', { format: { type: 'nothing' }, availability: { regions: 1 }, dimensions: [] }),
  update('users', '1', { password: null, passwordConfirm: 1, preferences: [], lastSeenIp: 'nowhere' }),
  patch('/albums/1', { data: { type: 'tracks', id: '2' } }),
  patch('/albums/1/relationships/artist', { data: missing }),
  patch('/albums/1/relationships/artist', { data: [missing] }),
  post('/albums/1/relationships/tracks', { data: [{ type: 'tracks', id: 'x' }, missing, null] }),
  { method: 'DELETE', path: '/albums/1/relationships/tracks', body: { data: [{ type: 'tracks' }] }, headers: admin },
  { method: 'DELETE', path: '/artists/1', headers: admin },
  { method: 'PUT', path: '/albums/1', body: {} },
  post('/catalog-exports', { data: { type: 'catalog-exports', attributes: { format: 'nothing' } } }),
  post(
    '/operations',
    { 'atomic:operations': [{ op: 'nothing' }, { op: 'add', data: { type: 'albums' } }] },
    atomicHeaders,
  ),
  post('/operations', { 'atomic:operations': 1 }, atomicHeaders),
]
