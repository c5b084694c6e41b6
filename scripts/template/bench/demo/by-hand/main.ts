import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import pg from 'pg'
import { requireAdmin, requireSubject } from './admin.ts'
import type { Row } from './documents.ts'
import * as documents from './documents.ts'
import { decodeCursor, linksAround } from './pages.ts'
import * as statements from './statements.ts'

// A service written by hand for these endpoints only: the baseline of the benchmark.

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'
const jsonapi = { version: '1.1' }
const cursorJsonapi = { ...jsonapi, profile: [cursorProfile] }
const atomicJsonapi = { ...jsonapi, ext: ['https://jsonapi.org/ext/atomic'] }

pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = new Koa()
app.silent = true // do not log aborted requests
const router = new Router()

router.get('/albums', async (ctx) => {
  const { size, number } = readPage(ctx)
  const found = await statements.albumPage(pool, size + 1, (number - 1) * size)
  const albums = found.slice(0, size)
  const base = baseUrl(ctx)
  if (ctx.query.include === undefined) {
    const data = albums.map((row) => documents.album(row, base))
    return send(ctx, {
      data,
      included: await readArtists(albums, base),
      ...pageLinksAndMeta(ctx, albums, found, size, number),
    })
  }
  const [artists, tracks] = await Promise.all([readArtists(albums, base), statements.tracksOfAlbums(pool, ids(albums))])
  const pairs = await statements.playlistIdsOfTracks(pool, ids(tracks))
  const playlists = await statements.playlistsById(pool, [...new Set(ids(pairs))])
  const tracksOf = Map.groupBy(tracks, (row) => row.album_id)
  const playlistsOf = Map.groupBy(pairs, (row) => row.track_id)
  const included: unknown[] = artists
  for (const row of tracks) included.push(documents.track(row, base, ids(playlistsOf.get(row.id) ?? [])))
  for (const row of playlists) included.push(documents.playlist(row, base))
  const data = albums.map((row) => documents.album(row, base, tracksOf.get(row.id) ?? []))
  send(ctx, { data, included, ...pageLinksAndMeta(ctx, albums, found, size, number) })
})

router.get('/albums/:id', async (ctx) => {
  sendAlbum(ctx, await statements.albumById(pool, Number(ctx.params.id)))
})

router.get('/albums/:id/tracks', async (ctx) => {
  const { size, number } = readPage(ctx)
  const found = await statements.trackPageOfAlbum(pool, Number(ctx.params.id), size + 1, (number - 1) * size)
  if (found.length === 0) return ctx.throw(404)
  sendTracks(
    ctx,
    found.filter(({ id }) => id !== null),
    size,
    number,
  )
})

router.get('/tracks', async (ctx) => {
  const { size, number } = readPage(ctx)
  const genre = ctx.query['filter[genres]']
  if (typeof genre !== 'string') {
    return sendTracks(ctx, await statements.trackPage(pool, size + 1, (number - 1) * size), size, number)
  }
  const found = await statements.tracksOfGenre(pool, genre, size + 1, (number - 1) * size)
  const tracks = found.slice(0, size)
  const data = tracks.map((row) => documents.sparseTrack(row, baseUrl(ctx)))
  send(ctx, { data, ...pageLinksAndMeta(ctx, tracks, found, size, number) })
})

router.get('/admin/users', async (ctx) => {
  await requireAdmin(ctx)
  const { size } = readPage(ctx)
  const after = decodeCursor(ctx.query['page[after]'])
  const found = await statements.usersAfter(pool, after ?? 0, size + 1)
  const users = found.slice(0, size)
  const [from, to] = [users[0]?.id, users.at(-1)?.id]
  const hasMore = found.length > size
  const base = `${baseUrl(ctx)}/admin`
  const data = users.map((row) => documents.user(row, base))
  const links = {
    self: ctx.href,
    ...linksAround(`${base}/users`, size, after === undefined ? undefined : from, hasMore ? to : undefined),
    describedby: `${base}/docs.json`,
  }
  const meta = { page: { perPage: size, from: String(from), to: String(to), hasMore } }
  send(ctx, { data, links, meta, jsonapi: cursorJsonapi }, `${mediaType}; profile="${cursorProfile}"`)
})

router.post('/tracks', async (ctx) => {
  const track = await statements.insertTrack(pool, ...trackValues(ctx, (ctx.request.body as { data: TrackInput }).data))
  if (!track) return ctx.throw(404)
  ctx.status = 201
  ctx.set('Location', `${baseUrl(ctx)}/tracks/${track.id}`)
  send(ctx, { data: documents.track(track, baseUrl(ctx)), links: documentLinks(ctx), jsonapi })
})

router.patch('/albums/:id', async (ctx) => {
  const { title } = (ctx.request.body as { data: { attributes: { title: unknown } } }).data.attributes
  if (typeof title !== 'string' || title === '' || title.length > 200) return ctx.throw(422)
  sendAlbum(ctx, await statements.updateTitle(pool, Number(ctx.params.id), title))
})

router.post('/tracks/:id/relationships/playlists', async (ctx) => {
  const id = Number(ctx.params.id)
  const given = (ctx.request.body as { data: { id: string }[] }).data.map((identifier) => identifier.id)
  const added = await statements.addPlaylists(pool, id, given, await requireSubject(ctx))
  if (!added.found || added.existing < given.length) return ctx.throw(404)
  if (added.owned < given.length) return ctx.throw(403)
  const links = { ...documentLinks(ctx), related: `${baseUrl(ctx)}/tracks/${id}/playlists` }
  send(ctx, { data: added.ids.map((playlistId) => ({ type: 'playlists', id: playlistId })), links, jsonapi })
})

router.post('/operations', async (ctx) => {
  const operations = (ctx.request.body as { 'atomic:operations': { data: TrackInput }[] })['atomic:operations']
  const values = operations.map(({ data }) => trackValues(ctx, data))
  const tracks = await statements.insertTracks(
    pool,
    values.map(([title]) => title),
    values.map(([, trackNumber]) => trackNumber),
    values.map(([, , albumId]) => albumId),
  )
  if (tracks.length < operations.length) return ctx.throw(404)
  const results = tracks.map((row) => ({ data: documents.track(row, baseUrl(ctx)) }))
  send(ctx, { 'atomic:results': results, links: documentLinks(ctx), jsonapi: atomicJsonapi }, atomicType)
})

app.use(bodyParser({ enableTypes: ['json'] }))
app.use(router.routes())
const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}.`)
})
process.once('SIGTERM', () => {
  server.close(() => pool.end().then(() => process.exit(0)))
  server.closeAllConnections()
})

interface TrackInput {
  readonly attributes: { readonly title: string; readonly trackNumber?: number }
  readonly relationships: { readonly album: { readonly data: { readonly id: string } } }
}

function trackValues(ctx: Koa.Context, { attributes, relationships }: TrackInput): [string, number, number] {
  const { title, trackNumber = 1 } = attributes
  const isValid = typeof title === 'string' && title !== '' && Number.isInteger(trackNumber) && trackNumber > 0
  return isValid ? [title, trackNumber, Number(relationships.album.data.id)] : ctx.throw(422)
}

function sendAlbum(ctx: Koa.Context, found: Row | undefined): void {
  const row = found ?? ctx.throw(404)
  const base = baseUrl(ctx)
  const included = row.artist_id === null ? [] : [documents.artist(row, base)]
  send(ctx, { data: documents.album(row, base), included, links: documentLinks(ctx), jsonapi })
}

function sendTracks(ctx: Koa.Context, found: readonly Row[], size: number, number: number): void {
  const tracks = found.slice(0, size)
  const data = tracks.map((row) => documents.track(row, baseUrl(ctx)))
  send(ctx, { data, ...pageLinksAndMeta(ctx, tracks, found, size, number) })
}

async function readArtists(albums: readonly Row[], base: string): Promise<unknown[]> {
  const artistIds = [...new Set(albums.map((row) => row.artist_id).filter((id) => id !== null))]
  return (await statements.artistsById(pool, artistIds)).map((row) => documents.artist(row, base))
}

function ids(rows: readonly Row[]): (string | number)[] {
  return rows.map((row) => row.id)
}

function readPage(ctx: Koa.Context): { size: number; number: number } {
  const size = Math.min(Number(ctx.query['page[size]'] ?? 15), 50)
  return { size, number: Number(ctx.query['page[number]'] ?? 1) }
}

function pageLinksAndMeta(
  ctx: Koa.Context,
  shown: readonly Row[],
  found: readonly Row[],
  size: number,
  number: number,
) {
  const rest = new URLSearchParams(ctx.querystring)
  rest.delete('page[number]')
  rest.delete('page[size]')
  const start = `${baseUrl(ctx)}${ctx.path}?${rest.size > 0 ? `${rest}&` : ''}page%5Bnumber%5D=`
  const link = (to: number) => `${start}${to}&page%5Bsize%5D=${size}`
  const from = (number - 1) * size + 1
  return {
    links: {
      self: link(number),
      first: link(1),
      ...(number > 1 && { prev: link(number - 1) }),
      ...(found.length > size && { next: link(number + 1) }),
      describedby: `${baseUrl(ctx)}/docs.json`,
    },
    meta: { page: { currentPage: number, perPage: size, from, to: from + shown.length - 1 } },
    jsonapi,
  }
}

function send(ctx: Koa.Context, document: object, type = mediaType): void {
  ctx.vary('Accept')
  ctx.type = type
  ctx.body = JSON.stringify(document)
}

function documentLinks(ctx: Koa.Context) {
  return { self: ctx.href, describedby: `${baseUrl(ctx)}/docs.json` }
}

function baseUrl(ctx: Koa.Context): string {
  return `${ctx.protocol}://${ctx.host}`
}
