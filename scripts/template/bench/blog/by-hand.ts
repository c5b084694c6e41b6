import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import pg from 'pg'
import type { Article, Comment, Person, Tag } from './documents.ts'
import * as documents from './documents.ts'

// The endpoints of the blog written by hand: one named statement where one is enough, one serializer per type, one
// JSON.stringify.

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
const cursorProfile = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'
const jsonapi = { version: '1.1' }

pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, toDateTime)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c timezone=UTC' })
const app = new Koa()
app.silent = true // do not log aborted requests
const router = new Router()

const articleColumns = 'id, title, body, views, published_at, author_id'
const commentColumns = 'id, body, created_at, article_id, author_id'

router.get('/articles', async (ctx) => {
  const base = baseUrl(ctx)
  const size = Math.min(Number(ctx.query['page[size]'] ?? 15), 50)
  const number = Number(ctx.query['page[number]'] ?? 1)
  const page = [size + 1, (number - 1) * size]
  if (ctx.query['fields[articles]'] !== undefined) {
    const sql = 'select id, title, published_at from articles order by published_at desc, id desc limit $1 offset $2'
    const found = await rows<Article>('sparse', sql, page)
    const data = found.slice(0, size).map((row) => documents.sparseArticle(row, base))
    return send(ctx, { data, ...pageMembers(ctx, base, found.length, size, number) })
  }
  const found = await rows<Article>(
    'articles',
    `select ${articleColumns} from articles order by id limit $1 offset $2`,
    page,
  )
  const articles = found.slice(0, size)
  const members = pageMembers(ctx, base, found.length, size, number)
  if (ctx.query.include === undefined) {
    return send(ctx, { data: articles.map((row) => documents.article(row, base)), ...members })
  }
  const ids = articles.map(({ id }) => id)
  const [people, comments, tags] = await Promise.all([
    rows<Person>('people', 'select id, name, email, created_at from people where id = any($1)', [
      [...new Set(articles.map(({ author_id }) => author_id))],
    ]),
    rows<Comment>('article-comments', `select ${commentColumns} from comments where article_id = any($1) order by id`, [
      ids,
    ]),
    rows<Tag & { article_id: number }>(
      'article-tags',
      'select m.article_id, t.id, t.name from article_tags m join tags t on t.id = m.tag_id where m.article_id = any($1) order by t.id',
      [ids],
    ),
  ])
  const commentsOf = Map.groupBy(comments, ({ article_id }) => article_id)
  const tagsOf = Map.groupBy(tags, ({ article_id }) => article_id)
  send(ctx, {
    data: articles.map((row) => documents.article(row, base, commentsOf.get(row.id) ?? [], tagsOf.get(row.id) ?? [])),
    included: [
      ...people.map((row) => documents.person(row, base)),
      ...comments.map((row) => documents.comment(row, base)),
      ...[...new Map(tags.map((row) => [row.id, row])).values()].map((row) => documents.tag(row, base)),
    ],
    ...members,
  })
})

router.get('/articles/:id', async (ctx) => {
  const [row] = await rows<Article>('article', `select ${articleColumns} from articles where id = $1`, [ctx.params.id])
  if (!row) return ctx.throw(404)
  send(ctx, { data: documents.article(row, baseUrl(ctx)), links: documentLinks(ctx), jsonapi })
})

router.get('/articles/:id/comments', async (ctx) => {
  const size = Math.min(Number(ctx.query['page[size]'] ?? 15), 50)
  const sql = `select exists (select 1 from articles where id = $1) as found, c.* from (select 1) one
    left join (select ${commentColumns} from comments where article_id = $1 order by id limit $2) c on true`
  const found = await rows<Comment & { found: boolean }>('comments-of', sql, [ctx.params.id, size + 1])
  if (!found[0]?.found) return ctx.throw(404)
  const base = baseUrl(ctx)
  const comments = found.filter(({ id }) => id !== null)
  const data = comments.slice(0, size).map((row) => documents.comment(row, base))
  send(ctx, { data, ...pageMembers(ctx, base, comments.length, size, 1) })
})

router.get('/comments', async (ctx) => {
  const size = Math.min(Number(ctx.query['page[size]'] ?? 15), 50)
  const after = decodeCursor(ctx.query['page[after]'])
  const sql = `select ${commentColumns} from comments where id > $1 order by id limit $2`
  sendCursorPage(ctx, await rows<Comment>('comments', sql, [after ?? 0, size + 1]), size, after)
})

router.post('/comments', async (ctx) => {
  const row = await insertComment(pool, (ctx.request.body as { data: CommentInput }).data)
  if (!row) return ctx.throw(404)
  ctx.status = 201
  ctx.set('Location', `${baseUrl(ctx)}/comments/${row.id}`)
  send(ctx, { data: documents.comment(row, baseUrl(ctx)), links: documentLinks(ctx), jsonapi })
})

router.patch('/articles/:id', async (ctx) => {
  const { title } = (ctx.request.body as { data: { attributes: { title: unknown } } }).data.attributes
  if (typeof title !== 'string' || title === '' || title.length > 200) return ctx.throw(422)
  const sql = `update articles set title = $2 where id = $1 returning ${articleColumns}`
  const [row] = await rows<Article>('patch', sql, [ctx.params.id, title])
  if (!row) return ctx.throw(404)
  send(ctx, { data: documents.article(row, baseUrl(ctx)), links: documentLinks(ctx), jsonapi })
})

router.post('/articles/:id/relationships/tags', async (ctx) => {
  const id = Number(ctx.params.id)
  const tagIds = (ctx.request.body as { data: { id: string }[] }).data.map((one) => Number(one.id))
  // The last statement sees no rows of the others: the members are those before and the new ones.
  const sql = `with article as (select id from articles where id = $1 for no key update),
      named as (select t.id from tags t, article where t.id = any($2)),
      added as (insert into article_tags select $1, id from named where (select count(*) from named) = cardinality($2)
        on conflict do nothing returning tag_id)
    select (select count(*)::int from article) as articles, (select count(*)::int from named) as named,
      array(select tag_id from article_tags where article_id = $1 union select tag_id from added order by 1) as ids`
  const [result] = await rows<{ articles: number; named: number; ids: number[] }>('add-tags', sql, [id, tagIds])
  if (!result?.articles || result.named < tagIds.length) return ctx.throw(404)
  const links = { ...documentLinks(ctx), related: `${baseUrl(ctx)}/articles/${id}/tags` }
  send(ctx, { data: result.ids.map((tag) => ({ type: 'tags', id: String(tag) })), links, jsonapi })
})

router.post('/operations', async (ctx) => {
  const operations = (ctx.request.body as { 'atomic:operations': { data: CommentInput }[] })['atomic:operations']
  const inputs = operations.map(({ data }) => commentValues(data))
  const columns = [0, 1, 2, 3].map((column) => inputs.map((values) => values[column]))
  const sql = `insert into comments (body, created_at, article_id, author_id)
    select * from unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[]) returning ${commentColumns}`
  const created = await rows<Comment>('bulk', sql, columns)
  const results = created.map((row) => ({ data: documents.comment(row, baseUrl(ctx)) }))
  const atomic = { ...jsonapi, ext: ['https://jsonapi.org/ext/atomic'] }
  send(ctx, { 'atomic:results': results, links: documentLinks(ctx), jsonapi: atomic }, atomicType)
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

interface CommentInput {
  readonly attributes: { readonly body: unknown; readonly createdAt: unknown }
  readonly relationships: Readonly<Record<'article' | 'author', { readonly data: { readonly id: string } }>>
}

function commentValues({ attributes: { body, createdAt }, relationships: { article, author } }: CommentInput) {
  const isValid = typeof body === 'string' && body !== '' && body.length <= 2000 && typeof createdAt === 'string'
  if (!isValid) throw Object.assign(new Error('The comment is not valid'), { status: 422, expose: true })
  return [body, createdAt, Number(article.data.id), Number(author.data.id)]
}

/** A missing article or person is refused by a foreign key. */
async function insertComment(client: pg.Pool, input: CommentInput): Promise<Comment | undefined> {
  const sql = `insert into comments (body, created_at, article_id, author_id) values ($1, $2, $3, $4) returning ${commentColumns}`
  const { rows: created } = await client.query<Comment>({ name: 'insert', text: sql, values: commentValues(input) })
  return created[0]
}

async function rows<T extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<T[]> {
  return (await pool.query<T>({ name, text, values })).rows
}

function sendCursorPage(ctx: Koa.Context, found: readonly Comment[], size: number, after: number | undefined): void {
  const base = baseUrl(ctx)
  const comments = found.slice(0, size)
  const hasMore = found.length > size
  const [from, to] = [comments[0]?.id, comments.at(-1)?.id]
  const first = `${base}${ctx.path}?page%5Bsize%5D=${size}`
  const links = {
    self: ctx.href,
    first,
    ...(after !== undefined && { prev: `${first}&page%5Bbefore%5D=${encodeCursor(from, 'before')}` }),
    ...(hasMore && { next: `${first}&page%5Bafter%5D=${encodeCursor(to, 'after')}` }),
    describedby: `${base}/docs.json`,
  }
  const meta = { page: { perPage: size, from: String(from), to: String(to), hasMore } }
  const data = comments.map((row) => documents.comment(row, base))
  const type = `${mediaType}; profile="${cursorProfile}"`
  send(ctx, { data, links, meta, jsonapi: { ...jsonapi, profile: [cursorProfile] } }, type)
}

function decodeCursor(cursor: string | string[] | undefined): number | undefined {
  return typeof cursor === 'string' ? JSON.parse(Buffer.from(cursor, 'base64url').toString()).v[0] : undefined
}

function encodeCursor(id: unknown, direction: string): string {
  return Buffer.from(JSON.stringify({ k: ['id'], v: [id], d: direction })).toString('base64url')
}

function pageMembers(ctx: Koa.Context, base: string, found: number, size: number, number: number) {
  const rest = new URLSearchParams(ctx.querystring)
  rest.delete('page[number]')
  rest.delete('page[size]')
  const start = `${base}${ctx.path}?${rest.size > 0 ? `${rest}&` : ''}page%5Bnumber%5D=`
  const link = (to: number) => `${start}${to}&page%5Bsize%5D=${size}`
  const from = (number - 1) * size + 1
  return {
    links: {
      self: link(number),
      first: link(1),
      ...(number > 1 && { prev: link(number - 1) }),
      ...(found > size && { next: link(number + 1) }),
      describedby: `${base}/docs.json`,
    },
    meta: { page: { currentPage: number, perPage: size, from, to: from + Math.min(found, size) - 1 } },
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

/** `2026-01-02 01:04:05.12+00` → `2026-01-02T01:04:05.120+00:00` */
function toDateTime(text: string): string {
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction ? fraction.padEnd(4, '0') : ''}+00:00`
}
