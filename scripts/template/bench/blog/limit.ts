import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'

// The same endpoints without a framework: `node:http`, pipelined prepared statements, and documents built as text.
// Checks no input: it shows how fast the runtime and the driver are, not how a service should be written.

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'
const cursorType = `${mediaType}; profile="${cursorProfile}"`
const jsonapi = '"jsonapi":{"version":"1.1"}'

interface Row extends postgres.Row {
  readonly id: number
}

const sql = postgres(process.env.DATABASE_URL as string, {
  max: 4,
  fetch_types: false,
  connection: { TimeZone: 'UTC' },
  types: { time: { to: 1184, from: [1184], serialize: String, parse: toDateTime } },
})
const articleColumns = 'id, title, body, views, published_at, author_id'
const commentColumns = 'id, body, created_at, article_id, author_id'

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}.`)
})
process.once('SIGTERM', () => {
  server.close(() => sql.end().then(() => process.exit(0)))
  server.closeAllConnections()
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const base = `http://${request.headers.host}`
  const [path = '', query = ''] = (request.url as string).split('?')
  const [, type, id, related] = path.split('/')
  const self = `"links":{"self":"${base}${request.url}","describedby":"${base}/docs.json"}`
  if (request.method !== 'GET') return write(request, response, base, id, type, self)
  const parameters = new URLSearchParams(query)
  if (related) return sendRelatedComments(response, base, path, Number(id), parameters)
  if (type === 'comments') return sendComments(response, base, request.url as string, parameters)
  if (!id) return sendArticles(response, base, path, parameters)
  const [row] = await run(`select ${articleColumns} from articles where id = $1`, [Number(id)])
  send(response, `{"data":${article(row as Row, base)},${self},${jsonapi}}`)
}

async function write(
  request: IncomingMessage,
  response: ServerResponse,
  base: string,
  id: string | undefined,
  type: string | undefined,
  self: string,
): Promise<void> {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
  if (request.method === 'PATCH') {
    const text = `update articles set title = $2 where id = $1 returning ${articleColumns}`
    const [row] = await run(text, [Number(id), body.data.attributes.title])
    return send(response, `{"data":${article(row as Row, base)},${self},${jsonapi}}`)
  }
  if (type === 'articles') {
    const text = `with added as (insert into article_tags select $1, unnest($2::int[]) on conflict do nothing returning tag_id)
      select array(select tag_id from article_tags where article_id = $1 union select tag_id from added order by 1)::text as ids`
    const [row] = await run(text, [Number(id), `{${body.data.map((tag: { id: string }) => tag.id)}}`])
    const ids = (row as Row).ids.slice(1, -1).split(',') as string[]
    const links = self.replace('"describedby"', `"related":"${base}/articles/${id}/tags","describedby"`)
    return send(response, `{"data":[${ids.map((tag) => `{"type":"tags","id":"${tag}"}`)}],${links},${jsonapi}}`)
  }
  const inputs = type === 'comments' ? [body] : body['atomic:operations']
  const values = inputs.flatMap(({ data }: { data: NewComment }) => [
    data.attributes.body,
    data.attributes.createdAt,
    Number(data.relationships.article.data.id),
    Number(data.relationships.author.data.id),
  ])
  const tuples = inputs.map((_: unknown, at: number) => `($${at * 4 + 1},$${at * 4 + 2},$${at * 4 + 3},$${at * 4 + 4})`)
  const text = `insert into comments (body, created_at, article_id, author_id) values ${tuples} returning ${commentColumns}`
  const created = (await run(text, values)).map((row) => comment(row, base))
  if (type === 'comments') return send(response, `{"data":${created[0]},${self},${jsonapi}}`, mediaType, 201)
  const atomic = '"jsonapi":{"version":"1.1","ext":["https://jsonapi.org/ext/atomic"]}'
  send(response, `{"atomic:results":[${created.map((one) => `{"data":${one}}`)}],${self},${atomic}}`, atomicType)
}

interface NewComment {
  readonly attributes: { readonly body: string; readonly createdAt: string }
  readonly relationships: Readonly<Record<'article' | 'author', { readonly data: { readonly id: string } }>>
}

async function sendArticles(response: ServerResponse, base: string, path: string, parameters: URLSearchParams) {
  const size = Number(parameters.get('page[size]') ?? 15)
  const number = Number(parameters.get('page[number]') ?? 1)
  const isSparse = parameters.has('fields[articles]')
  const includes = parameters.has('include')
  const columns = isSparse ? 'id, title, published_at' : articleColumns
  const order = isSparse ? 'published_at desc, id desc' : 'id'
  const text = `select ${columns} from articles order by ${order} limit $1 offset $2`
  const found = await run(text, [size + 1, (number - 1) * size])
  const articles = found.slice(0, size)
  const end = pageMembers(base, path, parameters, found.length, size, number)
  if (!includes) {
    const write = isSparse ? sparseArticle : article
    return send(response, `{"data":[${articles.map((row) => write(row, base))}],${end}}`)
  }
  const ids = `{${articles.map(({ id }) => id)}}`
  const [people, comments, tags] = await Promise.all([
    run('select id, name, email, created_at from people where id = any($1::int[])', [
      `{${[...new Set(articles.map(({ author_id }) => author_id))]}}`,
    ]),
    run(`select ${commentColumns} from comments where article_id = any($1::int[]) order by id`, [ids]),
    run(
      `select m.article_id, t.id, t.name from article_tags m join tags t on t.id = m.tag_id
       where m.article_id = any($1::int[]) order by t.id`,
      [ids],
    ),
  ])
  const commentsOf = Map.groupBy(comments, (row) => row.article_id)
  const tagsOf = Map.groupBy(tags, (row) => row.article_id)
  const data = articles.map((row) => article(row, base, commentsOf.get(row.id) ?? [], tagsOf.get(row.id) ?? []))
  const included = [
    ...people.map((row) => person(row, base)),
    ...comments.map((row) => comment(row, base)),
    ...[...new Map(tags.map((row) => [row.id, row])).values()].map((row) => tag(row, base)),
  ]
  send(response, `{"data":[${data}],"included":[${included}],${end}}`)
}

async function sendRelatedComments(
  response: ServerResponse,
  base: string,
  path: string,
  id: number,
  parameters: URLSearchParams,
) {
  const size = Number(parameters.get('page[size]') ?? 15)
  const text = `select ${commentColumns} from comments where article_id = $1 order by id limit $2`
  const found = await run(text, [id, size + 1])
  const comments = found.slice(0, size).map((row) => comment(row, base))
  send(response, `{"data":[${comments}],${pageMembers(base, path, parameters, found.length, size, 1)}}`)
}

async function sendComments(response: ServerResponse, base: string, url: string, parameters: URLSearchParams) {
  const size = Number(parameters.get('page[size]') ?? 15)
  const cursor = parameters.get('page[after]')
  const after = cursor === null ? 0 : JSON.parse(Buffer.from(cursor, 'base64url').toString()).v[0]
  const found = await run(`select ${commentColumns} from comments where id > $1 order by id limit $2`, [
    after,
    size + 1,
  ])
  const comments = found.slice(0, size)
  const first = `${base}/comments?page%5Bsize%5D=${size}`
  const [from, to] = [comments[0]?.id, comments.at(-1)?.id]
  const hasMore = found.length > size
  const previous = cursor === null ? '' : `,"prev":"${first}&page%5Bbefore%5D=${encodeCursor(from, 'before')}"`
  const next = hasMore ? `,"next":"${first}&page%5Bafter%5D=${encodeCursor(to, 'after')}"` : ''
  const links = `"links":{"self":"${base}${url}","first":"${first}"${previous}${next},"describedby":"${base}/docs.json"}`
  const meta = `"meta":{"page":{"perPage":${size},"from":"${from}","to":"${to}","hasMore":${hasMore}}}`
  const profile = `"jsonapi":{"version":"1.1","profile":["${cursorProfile}"]}`
  send(response, `{"data":[${comments.map((row) => comment(row, base))}],${links},${meta},${profile}}`, cursorType)
}

function encodeCursor(id: unknown, direction: string): string {
  return Buffer.from(`{"k":["id"],"v":[${id}],"d":"${direction}"}`).toString('base64url')
}

function pageMembers(
  base: string,
  path: string,
  parameters: URLSearchParams,
  found: number,
  size: number,
  number: number,
): string {
  parameters.delete('page[number]')
  parameters.delete('page[size]')
  const start = `${base}${path}?${parameters.size > 0 ? `${parameters}&` : ''}page%5Bnumber%5D=`
  const link = (name: string, to: number) => `"${name}":"${start}${to}&page%5Bsize%5D=${size}",`
  const around = (number > 1 ? link('prev', number - 1) : '') + (found > size ? link('next', number + 1) : '')
  const from = (number - 1) * size + 1
  const links = `"links":{${link('self', number)}${link('first', 1)}${around}"describedby":"${base}/docs.json"}`
  const page = `"currentPage":${number},"perPage":${size},"from":${from},"to":${from + Math.min(found, size) - 1}`
  return `${links},"meta":{"page":{${page}}},${jsonapi}`
}

function article(row: Row, base: string, comments?: readonly Row[], tags?: readonly Row[]): string {
  const self = `${base}/articles/${row.id}`
  const { title, body, views, published_at } = row
  const attributes = `"title":${JSON.stringify(title)},"body":${JSON.stringify(body)},"views":${views},"publishedAt":"${published_at}"`
  return `{"type":"articles","id":"${row.id}","links":{"self":"${self}"},"attributes":{${attributes}},"relationships":{${toOne(self, 'author', 'people', row.author_id)},${toMany(self, 'comments', comments)},${toMany(self, 'tags', tags)}}}`
}

function sparseArticle({ id, title, published_at }: Row, base: string): string {
  const attributes = `"title":${JSON.stringify(title)},"publishedAt":"${published_at}"`
  return `{"type":"articles","id":"${id}","links":{"self":"${base}/articles/${id}"},"attributes":{${attributes}}}`
}

function comment({ id, body, created_at, article_id, author_id }: Row, base: string): string {
  const self = `${base}/comments/${id}`
  const attributes = `"body":${JSON.stringify(body)},"createdAt":"${created_at}"`
  return `{"type":"comments","id":"${id}","links":{"self":"${self}"},"attributes":{${attributes}},"relationships":{${toOne(self, 'article', 'articles', article_id)},${toOne(self, 'author', 'people', author_id)}}}`
}

function person({ id, name, email, created_at }: Row, base: string): string {
  const attributes = `"name":${JSON.stringify(name)},"email":${JSON.stringify(email)},"createdAt":"${created_at}"`
  return `{"type":"people","id":"${id}","links":{"self":"${base}/people/${id}"},"attributes":{${attributes}}}`
}

function tag({ id, name }: Row, base: string): string {
  return `{"type":"tags","id":"${id}","links":{"self":"${base}/tags/${id}"},"attributes":{"name":${JSON.stringify(name)}}}`
}

function toOne(self: string, name: string, type: string, id: number): string {
  return `"${name}":{${relationshipLinks(self, name)},"data":{"type":"${type}","id":"${id}"}}`
}

function toMany(self: string, name: string, members: readonly Row[] | undefined): string {
  const data = members ? `,"data":[${members.map(({ id }) => `{"type":"${name}","id":"${id}"}`)}]` : ''
  return `"${name}":{${relationshipLinks(self, name)}${data}}`
}

function relationshipLinks(self: string, name: string): string {
  return `"links":{"self":"${self}/relationships/${name}","related":"${self}/${name}"}`
}

function run(text: string, values: (string | number)[]): Promise<Row[]> {
  return sql.unsafe<Row[]>(text, values, { prepare: true }) as unknown as Promise<Row[]>
}

function send(response: ServerResponse, text: string, type = mediaType, status = 200): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), Vary: 'Accept' })
  response.end(text)
}

/** `2026-01-02 01:04:05.12+00` → `2026-01-02T01:04:05.120+00:00` */
function toDateTime(text: string): string {
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction ? fraction.padEnd(4, '0') : ''}+00:00`
}
